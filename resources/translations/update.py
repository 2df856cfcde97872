"""Brings the catalogues up to date: gathers every text of the window into the .ts files, and
compiles them to .qm files.

    python resources/translations/update.py            # gather and compile
    python resources/translations/update.py --missing  # and list what has no translation

Translations are written into the .ts files, by hand or with Qt Linguist.
"""

import argparse
import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import PySide6

from lnexplorer.gui.kit.languages import CONTEXT
from lnexplorer.report.html import sentences_in

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
LANGUAGES = ("zh_CN",)


def main() -> int:
    """Update every language; 1 where --missing finds something."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--missing", action="store_true", help="list what has no translation")
    options = parser.parse_args()
    lacking = 0
    for language in LANGUAGES:
        catalogue = FOLDER / f"lnexplorer_{language}.ts"
        gather(catalogue, language)
        compile_catalogue(catalogue, catalogue.with_suffix(".qm"))
        if options.missing:
            for context, text in missing(catalogue):
                print(f"{language} {context}: {text}")
                lacking += 1
    return 1 if lacking else 0


def gather(catalogue: Path, language: str) -> None:
    """Add new texts to a catalogue, drop those that are gone, keep the translations."""
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "declared_texts.py"
        stub.write_text(_stub(), encoding="utf-8")
        package = ROOT / "lnexplorer"
        sources = sorted([*(package / "gui").rglob("*.py"), *(package / "lecture").rglob("*.py")])
        listing = Path(folder) / "sources.lst"
        listing.write_text("\n".join(str(path) for path in (*sources, stub)), encoding="utf-8")
        _tool(
            "lupdate",
            *(
                "-silent",
                "-locations",
                "none",
                "-no-obsolete",
                "-source-language",
                "en",
                "-target-language",
                language,
            ),
            *(f"@{listing}", "-ts", str(catalogue)),
        )


def compile_catalogue(catalogue: Path, target: Path) -> None:
    """Make the file that Qt loads."""
    _tool("lrelease", "-silent", str(catalogue), "-qm", str(target))


def missing(catalogue: Path) -> Iterator[tuple[str, str]]:
    """Context and text of everything without a translation."""
    for context in ElementTree.parse(catalogue).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type") or not translation.text:
                yield context.findtext("name", ""), message.findtext("source", "")


def _stub() -> str:
    """The texts that are declared outside the window, in the form that lupdate reads."""
    declared = [(CONTEXT, text) for text in templates()]
    lines = ['"""Made anew each time."""', "from PySide6.QtCore import QCoreApplication"]
    lines += [
        f"QCoreApplication.translate({_quoted(context)}, {_quoted(text)})"
        for context, text in dict.fromkeys(declared)
    ]
    return "\n".join(lines) + "\n"


def templates() -> Iterator[str]:
    """The templates in the calls of `lnkernels.values.sentence.say`; of `step`, which makes the
    texts of a step of the lecture, of `entry`, which makes those of an action, and of the columns
    of a table; of errors that explain themselves; and of what a function calls `told`: a sentence,
    or such an error, with values that several have.

    `say` takes its values by name: with more than one by place it is the terminal's, which speaks
    English alone. Pages of HTML and their scripts call it, too.
    """
    sources = sorted((*(ROOT / "lnexplorer").rglob("*.py"), *(ROOT / "kernels").rglob("*.py")))
    nodes = [node for source in sources for node in ast.walk(ast.parse(source.read_text("utf-8")))]
    gathered = {"step", "entry", "CheckColumn", "told", *_explained_errors(nodes)}
    for node in nodes:
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if name in gathered or (name == "say" and len(node.args) == 1):
            texts = [text.value for text in node.args if isinstance(text, ast.Constant)]
            yield from (text for text in texts if text and isinstance(text, str))
    for source in sorted(
        (*(ROOT / "lnexplorer").rglob("*.html"), *ROOT.glob("resources/page/*.js"))
    ):
        yield from sentences_in(source.read_text(encoding="utf-8"))


def _explained_errors(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of ExplainedError and of the classes that derive from it."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    found = {"ExplainedError"}
    while more := {name for name, own in bases.items() if own & found} - found:
        found |= more
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _tool(name: str, *arguments: str) -> None:
    subprocess.run(
        [str(Path(PySide6.__file__).parent / name), *arguments], check=True, stdout=sys.stderr
    )


if __name__ == "__main__":
    sys.exit(main())
