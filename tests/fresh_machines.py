"""The README's test command in fresh clones, under each condition that a machine may have: `python
-m tests.fresh_machines`.

Each run clones the last commit, pastes the command with nothing in its environment but PATH, HOME
and TMPDIR, and prints the test runner's closing line and the names of what failed. `--list` names
the conditions, `--only NAME[,NAME]` picks some, `--times N` repeats, and what follows `--` goes to
the test runner. Takes one installation and one run of the tests (6 minutes on two idle cores) each.
Exit status 1 where a run was not green. `--here` is for machines without a network: it copies the
files instead, installs nothing, and runs the tests that need no GPU with this Python; all runs at
once, each on two cores of its own, with what may keep them busy.
"""

import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.programs import described

ROOT = Path(__file__).parents[1]
ORDINARY_USER = "nobody"
LONGEST_S = 3600
_CLOSING = re.compile(r"(passed|failed|errors?|no tests ran)\b.* in [0-9.]+s")
_BAD = re.compile(r"^(FAILED|ERROR) [^ ]+")
NOT_COPIED = (".*", "*.pyc", "__pycache__")  # but for what the tests read: see `_copied`
# A Python that is not ours may hold plugins that fail beside these.
PLUGINS = "xdist.plugin,pytestqt.plugin,pytest_timeout,_hypothesis_pytestplugin"

FONT_FILES = Path("/usr/share/fonts")
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


@dataclass(frozen=True)
class Condition:
    """What differs from two idle cores: `around` wraps the words of the shell, `fonts` keeps files
    that match one of these.
    """

    busy_processes: int = 0
    fonts: tuple[str, ...] = ()
    around: Callable[[list[str]], list[str]] = list
    python: str = "python3"
    ordinary_user: bool = False


def _under_nohup(words: list[str]) -> list[str]:
    return ["nohup", *words]


def _in_the_background(words: list[str]) -> list[str]:
    """As a shell without job control starts `command &`: SIGINT ignored, no terminal."""
    return ["sh", "-c", shlex.join(words) + " & wait $!"]


def conditions() -> dict[str, Condition]:
    """Each condition by its name; pythons are those of PATH that the package supports."""
    found = {
        "idle": Condition(),
        "busy": Condition(busy_processes=2),
        "dejavu": Condition(fonts=("DejaVu",)),
        "chinese": Condition(fonts=("DejaVu", "CJK|DroidSansFallback")),
        "nohup": Condition(around=_under_nohup),
        "background": Condition(around=_in_the_background),
        "user": Condition(ordinary_user=True),
    }
    return found | {
        name: Condition(python=name)
        for name in (f"python3.{minor}" for minor in range(11, 15))
        if _starts(name)
    }


def _starts(python: str) -> bool:
    """Whether a Python is on PATH and starts; a shim of a version manager may lie there for one
    that does not.
    """
    path = shutil.which(python)
    return (
        path is not None
        and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0
    )


@contextmanager
def _busy(count: int, pinned: Sequence[str]) -> Iterator[None]:
    running = [
        subprocess.Popen([*pinned, sys.executable, "-c", "while True: pass"]) for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _font_settings(kinds: Sequence[str], folder: Path) -> Mapping[str, str]:
    """Fontconfig with only the installed fonts whose names match; refused where there is none of a
    kind.
    """
    fonts = folder / "fonts"
    fonts.mkdir()
    for kind in kinds:
        matching = [path for path in FONT_FILES.rglob("*.*") if re.search(kind, path.name)]
        if not matching:
            raise SystemExit(
                f"no font of {kind} is installed; allowed: conditions whose fonts are here"
            )
        for path in matching:
            (fonts / path.name).symlink_to(path)
    settings = folder / "fonts.conf"
    settings.write_text(FONTS.format(fonts=fonts, cache=folder / "font-cache"))
    return {"FONTCONFIG_FILE": str(settings)}


def _copied(clone: Path) -> dict[str, str]:
    """Copy the files; the environment in which this Python tests them, and finds what it finds
    here.
    """
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*NOT_COPIED))
    for name in (".ci", ".gitignore"):
        path = ROOT / name
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, clone / name)
    paths = [
        path
        for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if path and ROOT not in (Path(path), *Path(path).parents)
    ]
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("LD_LIBRARY_PATH", "LANG", "QT_QPA_PLATFORM")
    }
    return kept | {
        "PYTHONPATH": os.pathsep.join((str(clone / "kernels"), str(clone), *paths)),
        "CUDA_VISIBLE_DEVICES": "",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_PLUGINS": PLUGINS,
    }


def run_once(
    condition: Condition,
    log: Path,
    cores: Sequence[int] = (),
    limit_s: float = LONGEST_S,
    also: Sequence[str] = (),
) -> tuple[bool, str]:
    """Clone, install and test under one condition; where cores are given, copy and test on these
    alone.

    Returns whether all was green, and the closing line, with the names of what failed.
    """
    command = re.search(
        r"^python3 (-m venv .* -m pytest)$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert command is not None, "README.md does not hold the test command"
    pinned = ["taskset", "-c", ",".join(map(str, cores))] if cores else []
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="fresh-", ignore_cleanup_errors=True)
            )
        )
        clone, home, scratch = folder / "clone", folder / "home", folder / "tmp"
        home.mkdir()
        scratch.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(scratch)}
        if cores:
            environment |= _copied(clone)
        else:
            subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        if condition.fonts:
            environment |= _font_settings(condition.fonts, folder)
        here = [*pinned, sys.executable, "-m", "pytest", "-m", "not gpu", *also]
        pasted = ["bash", "-c", f"{condition.python} {command.group(1)} {shlex.join(also)}"]
        words = condition.around(here if cores else pasted)
        user = None
        if condition.ordinary_user and os.getuid() == 0:
            user = pwd.getpwnam(ORDINARY_USER)
            for path in (folder, *folder.rglob("*")):
                os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
        stack.enter_context(_busy(condition.busy_processes, pinned))
        with log.open("w") as out:
            ended = subprocess.run(
                ["timeout", "-s", "INT", "-k", "30", str(limit_s), *words],
                cwd=clone,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
                user=None if user is None else user.pw_uid,
                group=None if user is None else user.pw_gid,
                extra_groups=None if user is None else [],
            )
    lines = log.read_text(errors="replace").splitlines()
    closing = [line for line in lines if _CLOSING.search(line)]
    bad = [found.group() for line in lines if (found := _BAD.match(line))]
    return ended.returncode == 0, "\n  ".join(
        [*(closing[-1:] or [f"no closing line, exit status {ended.returncode}"]), *bad]
    )


def main() -> int:
    known = conditions()
    parser = described(__doc__)
    parser.add_argument("--list", action="store_true", help="name the conditions")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=list(known), metavar="NAME[,NAME]"
    )
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument(
        "--here", action="store_true", help="copy, install nothing, all at once on two cores each"
    )
    parser.add_argument(
        "--limit", type=float, default=LONGEST_S, metavar="SECONDS", help="of each run"
    )
    parser.add_argument(
        "--logs",
        type=Path,
        default=Path(tempfile.gettempdir()),
        help="folder of the output of each run",
    )
    parser.add_argument(
        "also", nargs="*", help="for the test runner, after --: folders of tests, options"
    )
    given = parser.parse_args()
    unknown = [name for name in given.only if name not in known]
    if unknown:
        parser.error(f"--only {','.join(unknown)}: allowed are {', '.join(known)}")
    if given.list:
        print("\n".join(known))
        return 0
    runs = [(name, turn + 1) for turn in range(given.times) for name in given.only]
    cores = sorted(os.sched_getaffinity(0)) if given.here else []
    if given.here and 2 * len(runs) > len(cores):
        parser.error(f"--here: {len(runs)} runs take {2 * len(runs)} cores; here are {len(cores)}")

    def one(number: int) -> bool:
        name, turn = runs[number]
        began = time.monotonic()
        log = given.logs / f"fresh-{name}-{turn}.log"
        passed, closing = run_once(
            known[name], log, cores[2 * number : 2 * number + 2], given.limit, given.also
        )
        took = f"after {time.monotonic() - began:.0f} s"
        print(f"{name} {turn}: {'green' if passed else 'NOT GREEN'} {took}: {closing}", flush=True)
        return passed

    with ThreadPoolExecutor(len(runs) if given.here else 1) as pool:
        return not all(list(pool.map(one, range(len(runs)))))


if __name__ == "__main__":
    sys.exit(main())
