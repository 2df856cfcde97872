"""The menu bar, made of the window's actions."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from lnexplorer.gui.exports.menu import ExportMenu
from lnexplorer.gui.shell.actions import Actions


class Menus(QObject):
    """File, Run, Presets, View, Help."""

    def __init__(self, bar: QMenuBar, actions: Actions, panes: list[QAction]) -> None:
        super().__init__(bar)
        self._actions = actions
        self.file, self.run, self.presets, self.view, self.help = (QMenu(bar) for _ in range(5))
        for menu in (self.file, self.run, self.presets, self.view, self.help):
            menu.setToolTipsVisible(True)
            bar.addMenu(menu)
        _fill(self.file, actions.open_recording, actions.gallery)
        self.recordings = self.file.addMenu("")
        _fill(self.file, actions.save_recording, None, actions.open_session, actions.save_session, None)
        self.export = ExportMenu(self.file)
        self.file.addMenu(self.export)
        _fill(self.file, actions.save_picture, None, actions.quit)
        _fill(self.run, actions.run, actions.stop, actions.live, None, actions.trace, None)
        self.device = self.run.addMenu("")
        self.device.setToolTipsVisible(True)
        self.run.addAction(actions.restart)
        _fill(self.presets, *actions.presets)
        _fill(self.view, *panes, None, actions.overview, actions.tabs, actions.tear_off, None)
        _fill(self.view, actions.lecture, actions.full_screen, None)
        _fill(self.view, actions.larger_text, actions.smaller_text, actions.usual_text, None)
        self.theme = self.view.addMenu("")
        self.theme.addActions(actions.themes.actions())
        self.theme.addSeparator()
        self.theme.addAction(actions.next_theme)
        self.language = self.view.addMenu("")
        self.language.addActions(actions.languages.actions())
        _fill(self.help, actions.provenance, actions.about)
        self.show_devices()
        self.retranslate()

    def show_devices(self) -> None:
        """Fill the device menu anew."""
        self.device.clear()
        self.device.addActions(self._actions.devices.actions())

    def retranslate(self) -> None:
        """Set all titles in the current language."""
        self.file.setTitle(self.tr("&File"))
        self.run.setTitle(self.tr("&Run"))
        self.presets.setTitle(self.tr("&Presets"))
        self.view.setTitle(self.tr("&View"))
        self.help.setTitle(self.tr("&Help"))
        self.recordings.setTitle(self.tr("&Recordings from an H200"))
        self.device.setTitle(self.tr("&Device"))
        self.theme.setTitle(self.tr("&Appearance"))
        self.language.setTitle(self.tr("&Language · 语言"))


def _fill(menu: QMenu, *actions: QAction | None) -> None:
    for action in actions:
        if action is None:
            menu.addSeparator()
        else:
            menu.addAction(action)
