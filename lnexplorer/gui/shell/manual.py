"""The manual: the chapters of resources/manual in a window of their own, in the window's language where it has them."""

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextFrameFormat
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QTextBrowser, QWidget

from lnexplorer.store.resources import resource

CHAPTERS = ("start", "panes", "figures", "command_line", "formats", "measurements", "extending", "lecturing", "glossary")
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
    "memory_access",
    "history",
    "lecture",
)
MARGIN = 24


class ManualWindow(QSplitter):
    """Chapters on the left, the text on the right."""

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self._language = language
        self._chapter = CHAPTERS[0]
        self._list = QListWidget()
        self._text = QTextBrowser()
        self._text.setOpenLinks(False)
        self._text.setSearchPaths([str(resource("manual"))])
        self._text.anchorClicked.connect(self._follow)
        self._list.currentItemChanged.connect(self._on_chapter_chosen)
        self.addWidget(self._list)
        self.addWidget(self._text)
        self.setStretchFactor(1, 1)
        self.setSizes([220, 780])
        self.resize(1000, 800)
        self.set_language(language)

    def set_language(self, language: str) -> None:
        """Show the chapters in "en" or "zh_CN"; a chapter that is not translated is shown in English."""
        self._language = language
        chapter = self._chapter
        self._list.blockSignals(True)
        self._list.clear()
        for name in CHAPTERS:
            file = self._file(name)
            if file.is_file():
                item = QListWidgetItem(_title(file))
                item.setData(Qt.ItemDataRole.UserRole, name)
                self._list.addItem(item)
        self._list.blockSignals(False)
        self.setWindowTitle(self.tr("Manual"))
        self.open_at(chapter)

    def open_at(self, chapter: str, section: str = "") -> None:
        """Show a chapter of `CHAPTERS`; that on panes at one of `SECTIONS`, if it is named."""
        self._chapter = chapter
        self._list.blockSignals(True)
        for row in range(self._list.count()):
            if self._list.item(row).data(Qt.ItemDataRole.UserRole) == chapter:
                self._list.setCurrentRow(row)
        self._list.blockSignals(False)
        file = self._file(chapter)
        self._text.setMarkdown(file.read_text(encoding="utf-8") if file.is_file() else "")
        frame = QTextFrameFormat(self._text.document().rootFrame().frameFormat())
        frame.setMargin(MARGIN)
        self._text.document().rootFrame().setFrameFormat(frame)
        if section in SECTIONS:
            self._scroll_to_heading(SECTIONS.index(section))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.setWindowTitle(self.tr("Manual"))

    def _file(self, chapter: str) -> Path:
        translated = resource(f"manual/{chapter}.{self._language}.md")
        return translated if translated.is_file() else resource(f"manual/{chapter}.md")

    def _scroll_to_heading(self, index: int) -> None:
        block, seen = self._text.document().begin(), -1
        while block.isValid():
            seen += block.blockFormat().headingLevel() > 0
            if seen == index:
                break
            block = block.next()
        self._text.moveCursor(QTextCursor.MoveOperation.End)  # so that the heading comes to lie at the top
        self._text.setTextCursor(QTextCursor(block))
        self._text.ensureCursorVisible()

    def _on_chapter_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.open_at(item.data(Qt.ItemDataRole.UserRole))

    def _follow(self, link: QUrl) -> None:
        """A chapter opens here, an address of the web in the browser; nothing else is opened."""
        if link.scheme() in ("http", "https"):
            QDesktopServices.openUrl(link)
        elif link.isRelative() and Path(link.path()).name.split(".")[0] in CHAPTERS:
            self.open_at(Path(link.path()).name.split(".")[0])


def _title(file: Path) -> str:
    """The first heading of a chapter."""
    with file.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").strip() for line in lines if line.startswith("# ")), file.stem)
