"""The guard of a worker at the other end of a line, with the worker that computes nothing."""

import os
import sys

from lnexplorer.worker import remote
from tests.engine.bench import LIGHT_WORKER

if __name__ == "__main__":
    remote.SILENT_TICKS = int(os.environ.get("STAND_IN_SSH_TICKS", remote.SILENT_TICKS))
    sys.exit(remote.main(sys.argv[1:], LIGHT_WORKER))
