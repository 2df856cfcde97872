"""`lnexplorer neighbours`: every setting one step away, timed, and what limits the present one."""

from functools import partial

from lnexplorer.cli import experiment
from lnexplorer.domain.experiments.neighbours import NEIGHBOURS

DESCRIPTION = """\
Check every setting one step away from the present one, time them in turns until each difference is
known to ±0.5 %, and say what limits the present launch.
"""
EPILOG = """\
What is not given is automatic. The interpreter has no times: there settings are only checked. Exit
status: 0 done; 2 the request is not possible; 3 the worker, or writing, failed; 130 interrupted:
the history has what was known by then.
"""


parser = partial(experiment.parser, NEIGHBOURS.name, DESCRIPTION, EPILOG)
main = experiment.main
