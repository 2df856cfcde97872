"""The README's test command in fresh clones, under each condition that a machine may have: `python -m tests.fresh_machines`.

Each run clones the last commit, pastes the command with nothing in its environment but PATH, HOME and TMPDIR, and prints the
test runner's closing line. `--list` names the conditions, `--only NAME[,NAME]` picks some, `--times N` repeats. Takes one
installation and one run of the tests (6 minutes on two idle cores) each. Exit status 1 where a run was not green.
"""

import argparse
import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ORDINARY_USER = "nobody"
LONGEST_S = 3600
_CLOSING = re.compile(r"(passed|failed|errors?|no tests ran)\b.* in [0-9.]+s")

FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


@dataclass(frozen=True)
class Condition:
    """What differs from two idle cores; `around` wraps the words of the shell, `fonts` keeps the font files whose names match."""

    busy_processes: int = 0
    fonts: str | None = None
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
        "dejavu": Condition(fonts="DejaVu"),
        "chinese": Condition(fonts="DejaVu|CJK"),
        "nohup": Condition(around=_under_nohup),
        "background": Condition(around=_in_the_background),
        "user": Condition(ordinary_user=True),
    }
    return found | {name: Condition(python=name) for name in (f"python3.{minor}" for minor in range(11, 15)) if _starts(name)}


def _starts(python: str) -> bool:
    """Whether a Python is on PATH and starts; a shim of a version manager may lie there for one that does not."""
    path = shutil.which(python)
    return path is not None and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0


@contextmanager
def _busy(count: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _font_settings(pattern: str, folder: Path) -> Mapping[str, str]:
    """Fontconfig with only the installed fonts whose path matches; refused where there is none."""
    listed = subprocess.run(["fc-list", "--format", "%{file}\n"], capture_output=True, text=True, check=True).stdout
    fonts = folder / "fonts"
    fonts.mkdir()
    for kind in pattern.split("|"):
        matching = [Path(line) for line in sorted(set(listed.splitlines())) if kind in line]
        if not matching:
            raise SystemExit(f"no font of {kind} is installed; allowed: conditions whose fonts are here")
        for path in matching:
            (fonts / path.name).symlink_to(path)
    settings = folder / "fonts.conf"
    settings.write_text(FONTS.format(fonts=fonts, cache=folder / "font-cache"))
    return {"FONTCONFIG_FILE": str(settings)}


def run_once(condition: Condition, log: Path) -> tuple[bool, str]:
    """Clone, install and test under one condition. Returns whether all was green, and the closing line."""
    command = re.search(r"^python3 (-m venv .* -m pytest)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert command is not None, "README.md does not hold the test command"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fresh-", ignore_cleanup_errors=True)))
        clone, home, scratch = folder / "clone", folder / "home", folder / "tmp"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        home.mkdir()
        scratch.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(scratch)}
        if condition.fonts is not None:
            environment |= _font_settings(condition.fonts, folder)
        words = condition.around(["bash", "-c", f"{condition.python} {command.group(1)}"])
        user = None
        if condition.ordinary_user and os.getuid() == 0:
            user = pwd.getpwnam(ORDINARY_USER)
            for path in (folder, *folder.rglob("*")):
                os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
        stack.enter_context(_busy(condition.busy_processes))
        with log.open("w") as out:
            ended = subprocess.run(
                words,
                cwd=clone,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=LONGEST_S,
                check=False,
                user=None if user is None else user.pw_uid,
                group=None if user is None else user.pw_gid,
                extra_groups=None if user is None else [],
            )
    closing = [line for line in log.read_text(errors="replace").splitlines() if _CLOSING.search(line)]
    return ended.returncode == 0, closing[-1] if closing else f"no closing line, exit status {ended.returncode}"


def main() -> int:
    known = conditions()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the conditions")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(known), metavar="NAME[,NAME]")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--logs", type=Path, default=Path(tempfile.gettempdir()), help="folder of the output of each run")
    given = parser.parse_args()
    unknown = [name for name in given.only if name not in known]
    if unknown:
        parser.error(f"--only {','.join(unknown)}: allowed are {', '.join(known)}")
    if given.list:
        print("\n".join(known))
        return 0
    green = True
    for turn in range(given.times):
        for name in given.only:
            began = time.monotonic()
            passed, closing = run_once(known[name], given.logs / f"fresh-{name}-{turn + 1}.log")
            green &= passed
            print(
                f"{name} {turn + 1}: {'green' if passed else 'NOT GREEN'} after {time.monotonic() - began:.0f} s: {closing}",
                flush=True,
            )
    return not green


if __name__ == "__main__":
    sys.exit(main())
