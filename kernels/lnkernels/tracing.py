"""`stamp` under the name that `lnexplorer new-kernel` wrote into users' files until it moved to
`lnkernels.language.stamps`: those files, and the versions of them in the history, still run.
"""

from lnkernels.language.stamps import stamp

__all__ = ["stamp"]
