"""`lnexplorer`, and `python -m lnexplorer`."""

import errno
import os
import sys
from collections.abc import Sequence

# What writing to a full disk, or to a reader that left, fails with.
OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit status.

    Args:
        arguments: what follows the program's name; those of this process when None.
    """
    from lnexplorer.cli import status  # noqa: PLC0415  (nothing is imported before Ctrl-C is understood)

    try:
        from lnexplorer.cli.commands import run_command  # noqa: PLC0415

        result = run_command(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nlnexplorer: interrupted", file=sys.stderr)
        return status.INTERRUPTED
    except ImportError as error:
        if (error.name or "").startswith(("lnexplorer", "lnkernels")):
            raise
        print(f"lnexplorer: {error}. `lnexplorer doctor` says what is missing and how to install it.", file=sys.stderr)
        return status.FAILED
    except OSError as error:
        if error.errno not in OUTPUT_ERRORS:
            raise
        print(f"lnexplorer: the output cannot be written ({error.strerror or error})", file=sys.stderr)
        _forget_stdout()
        return status.FAILED
    return result


def _forget_stdout() -> None:
    """Keep the interpreter from flushing once more, and failing once more, when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
