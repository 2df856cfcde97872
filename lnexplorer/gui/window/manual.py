"""The manual: the chapters of resources/manual in a window of their own, in the window's language
where it has them.
"""

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QImage,
    QKeySequence,
    QShortcut,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
)
from PySide6.QtWidgets import QListWidget, QSplitter, QTextBrowser, QWidget

from lnexplorer.gui.kit import GRID, lay_column
from lnexplorer.gui.kit.search import SearchBar
from lnexplorer.store.resources import resource

CHAPTERS = (
    "start",
    "panes",
    "figures",
    "command_line",
    "remote",
    "cluster",
    "formats",
    "measurements",
    "extending",
    "hangs",
    "security",
    "contributing",
    "lecturing",
    "page",
    "keys",
    "glossary",
)
# The headings of the chapter on panes, in their order, which is the same in every language.
SECTIONS = (
    "workspaces",
    "run",
    "parameters",
    "reduction",
    "correctness",
    "throughput",
    "sweep",
    "experiments",
    "compiled",
    "memory_access",
    "own_kernels",
    "history",
    "lecture",
)
MARGIN = 24
PICTURE_WIDTH = 880  # px at most


class _Text(QTextBrowser):
    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        found = super().loadResource(kind, name)
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return found
        picture = found if isinstance(found, QImage) else QImage.fromData(found)
        sharpness = self.devicePixelRatioF()
        if picture.width() > PICTURE_WIDTH * sharpness:
            picture = picture.scaledToWidth(
                round(PICTURE_WIDTH * sharpness), Qt.TransformationMode.SmoothTransformation
            )
            picture.setDevicePixelRatio(sharpness)
        return picture


class ManualWindow(QSplitter):
    """Chapters on the left, the text on the right."""

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._language = language
        self._chapter = CHAPTERS[0]
        self.chapters = QListWidget()
        self.chapters.setSpacing(GRID // 2)
        self.text = _Text()
        self.text.setOpenLinks(False)
        self.text.setSearchPaths([str(resource("manual"))])
        self.text.anchorClicked.connect(self._follow)
        self.chapters.currentRowChanged.connect(lambda row: self.open_at(CHAPTERS[row]))
        right = QWidget()
        self.search = SearchBar(self.text, self)
        lay_column(right, (self.text, 1), self.search, spacing=GRID // 2)
        self.search.typed.connect(self._count)
        self._texts: dict[Path, str] = {}  # of the chapters, as they are shown
        self.addWidget(self.chapters)
        self.addWidget(right)
        self.setStretchFactor(1, 1)
        self.setSizes([220, 980])
        self.setWindowFlag(Qt.WindowType.Window)
        self.resize(1200, 800)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        self.set_language(language)

    def set_language(self, language: str) -> None:
        """Show the chapters in "en" or "zh_CN"; a chapter that is not translated is shown in
        English.
        """
        self._language = language
        with QSignalBlocker(self.chapters):
            self.chapters.clear()
            self.chapters.addItems([""] * len(CHAPTERS))
        self.setWindowTitle(self.tr("Manual"))
        self.open_at(self._chapter)
        self._count(self.search.field.text())

    def open_at(self, chapter: str, section: str = "") -> None:
        """Show a chapter of `CHAPTERS`, at a section if one is named: by its heading as links write
        it, or of the chapter on panes by one of `SECTIONS`.
        """
        self._chapter = chapter
        with QSignalBlocker(self.chapters):
            self.chapters.setCurrentRow(CHAPTERS.index(chapter))
        self.text.setMarkdown(self._file(chapter).read_text(encoding="utf-8"))
        frame = QTextFrameFormat(self.text.document().rootFrame().frameFormat())
        frame.setMargin(MARGIN)
        self.text.document().rootFrame().setFrameFormat(frame)
        headings = _headings(self.text.document())
        # The chapter on panes has the same names of its headings in every language.
        names = SECTIONS if chapter == "panes" else [_anchor(block.text()) for block in headings]
        if section in names:
            self.text.moveCursor(QTextCursor.MoveOperation.End)  # the heading comes to the top then
            self.text.setTextCursor(QTextCursor(headings[names.index(section)]))
            self.text.ensureCursorVisible()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # The colour of links is that of the theme in which they were read.
        if event.type() is QEvent.Type.StyleChange:
            place = self.text.verticalScrollBar().value()
            self.open_at(self._chapter)
            self.text.verticalScrollBar().setValue(place)

    def _count(self, words: str) -> None:
        """Say beside each chapter how often it has these words."""
        files = [self._file(name) for name in CHAPTERS]
        if words and not self._texts.keys() >= set(files):
            document = QTextDocument()
            for file in files:
                document.setMarkdown(file.read_text(encoding="utf-8"))
                self._texts[file] = document.toPlainText().casefold()
        for place, file in enumerate(files):
            count = self._texts[file].count(words.casefold()) if words else 0
            title = _title(file)
            self.chapters.item(place).setText(f"{title} ({count})" if count else title)

    def _file(self, chapter: str) -> Path:
        translated = resource(f"manual/{chapter}.{self._language}.md")
        return translated if translated.is_file() else resource(f"manual/{chapter}.md")

    def _follow(self, link: QUrl) -> None:
        """Open a chapter here, and an address of the web in the browser; open nothing else."""
        chapter = Path(link.path()).name.split(".")[0]
        if link.scheme() in ("http", "https"):
            QDesktopServices.openUrl(link)
        elif link.isRelative() and chapter in CHAPTERS:
            self.open_at(chapter, link.fragment())


def _headings(document: QTextDocument) -> list[QTextBlock]:
    block, found = document.begin(), []
    while block.isValid():
        if block.blockFormat().headingLevel():
            found.append(block)
        block = block.next()
    return found


def _anchor(heading: str) -> str:
    """Return a heading as links write it behind #."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _title(file: Path) -> str:
    """Return the first heading of a chapter."""
    with file.open(encoding="utf-8") as lines:
        return next(
            (line.lstrip("# ").strip() for line in lines if line.startswith("# ")), file.stem
        )
