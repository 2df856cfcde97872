"""A progress bar that is painted with everything else."""

from PySide6.QtWidgets import QProgressBar


class CalmProgressBar(QProgressBar):
    """Qt's own paints the whole window, wherever something has changed, each time that it is given a value; this one waits."""

    def setRange(self, minimum: int, maximum: int) -> None:  # noqa: N802
        """Take other limits, and be painted later."""
        if (minimum, maximum) != (self.minimum(), self.maximum()):
            self.setUpdatesEnabled(False)
            super().setRange(minimum, maximum)
            self.setUpdatesEnabled(True)

    def setValue(self, value: int) -> None:  # noqa: N802
        """Take another value, and be painted later."""
        if value != self.value():
            self.setUpdatesEnabled(False)
            super().setValue(value)
            self.setUpdatesEnabled(True)
