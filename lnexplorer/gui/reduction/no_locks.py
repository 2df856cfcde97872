"""What the reduction's picture gives way to where a strategy has no locks: why there is no timeline of them."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lnexplorer.gui.charts.notice import Notice
from lnexplorer.gui.i18n.texts import domain_text
from lnkernels.launch import CATALOGUE


class NoLocks(QWidget):
    """Covers its parent while a strategy without locks is chosen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._covered = parent
        self._strategy: str | None = None
        self.setObjectName("window")
        self.setAutoFillBackground(True)
        self.notice = Notice(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.notice)
        parent.installEventFilter(self)
        self.hide()

    def set_strategy(self, strategy: str) -> bool:
        """Cover the parent where the strategy has no locks; whether it is covered."""
        self._strategy = None if strategy == "locked" else strategy
        self._describe()
        self._fit()
        self.setVisible(self._strategy is not None)
        return self._strategy is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Stay as large as the parent."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()
        super().changeEvent(event)

    def _fit(self) -> None:
        self.setGeometry(self._covered.rect())
        self.raise_()

    def _describe(self) -> None:
        if self._strategy is None:
            return
        why = self.tr("No row waits for another one's buffer, so there is no timeline of locks. Strategy locked has one.")
        self.notice.set_text(
            self.tr("Strategy {name} has no lock timeline").format(name=self._strategy),
            f"{domain_text(CATALOGUE[self._strategy].summary)}\n\n{why}",
        )
