"""The guard of a worker at the other end of a line, with a worker that computes nothing."""

import os
import sys

from lnexplorer.worker import remote
from tests.engine.bench import LIGHT_WORKER

if __name__ == "__main__":
    remote.SILENT_TICKS = int(os.environ.get("STAND_IN_SSH_TICKS", remote.SILENT_TICKS))
    worker = os.environ.get("STAND_IN_SSH_WORKER")
    sys.exit(
        remote.main(
            sys.argv[1:], LIGHT_WORKER if worker is None else (sys.executable, "-P", worker)
        )
    )
