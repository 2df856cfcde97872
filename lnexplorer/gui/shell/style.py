"""How a theme becomes Qt's palette and the one style sheet of the application."""

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.charts.theme import FAMILIES, GRID, SMALL_SIZE, TEXT_SIZE, TITLE_SIZE, Theme, mixed, on_accent, palette
from lnexplorer.store.resources import resource

RADIUS = GRID // 2


def apply_style(application: QApplication, theme: Theme, text_percent: int = 100) -> None:
    """Give the whole application the theme's colours and the two text sizes, as large as is wanted."""
    font = QFont(FAMILIES)
    font.setPointSizeF(TEXT_SIZE * text_percent / 100)
    application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme, text_percent))


def style_sheet(theme: Theme, text_percent: int = 100) -> str:
    """The style sheet. Widgets choose a look by objectName or by the dynamic property `look`."""
    colours = {
        "icons": resource("icons").as_posix(),
        "name": theme.name,
        "window": theme.window,
        "surface": theme.surface,
        "raised": theme.raised,
        "line": theme.line,
        "soft": mixed(theme.line, theme.window, 0.5),
        "text": theme.text,
        "muted": theme.muted,
        "accent": theme.accent,
        "on_accent": on_accent(theme),
        "accent_hover": mixed(theme.accent, theme.text, 0.15),
        "accent_soft": mixed(theme.window, theme.accent, 0.16),
        "faint": mixed(theme.muted, theme.window, 0.5),
        "hover": mixed(theme.raised, theme.accent, 0.12),
        "good": theme.good,
        "bad": theme.bad,
        "bad_soft": mixed(theme.window, theme.bad, 0.14),
        "warning": theme.warning,
        "warning_soft": mixed(theme.window, theme.warning, 0.14),
        "title": f"{TITLE_SIZE * text_percent / 100}pt",
        "size": f"{TEXT_SIZE * text_percent / 100}pt",
        "small": f"{SMALL_SIZE * text_percent / 100}pt",
        "button": f"{18 * text_percent // 100}px",
        "field": f"{20 * text_percent // 100}px",
        "tab": f"{GRID * (2 if text_percent <= 100 else 1)}px",  # larger titles are whole rather than apart
        "radius": f"{RADIUS}px",
        "half": f"{GRID // 2}px",
        "one": f"{GRID}px",
        "two": f"{GRID * 2}px",
        "three": f"{GRID * 3}px",
    }
    sheet = _SHEET
    for name in sorted(colours, key=len, reverse=True):
        sheet = sheet.replace(f"@{name}", colours[name])
    return sheet


_SHEET = """
QMainWindow, QDialog { background: @window; }
QMainWindow::separator { background: @window; width: @one; height: @one; }
QMainWindow::separator:hover { background: @accent; }
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: @half @one; }

QMenuBar { background: @window; padding: 0 @half; }
QMenuBar::item { padding: @half @one; border-radius: @radius; background: transparent; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @raised; border: 1px solid @line; padding: @half; }
QMenu::item { padding: @half @three; border-radius: @radius; }
QMenu::item:selected { background: @accent_soft; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: @half @one; }
QToolBar { background: @window; border: none; padding: 0; spacing: 0; }

QTabBar { background: @window; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @muted; padding: @half @tab; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabWidget::pane { border: 1px solid @line; background: @surface; }

QLabel { background: transparent; }
QLabel[look="title"] { font-size: @title; font-weight: 600; }
QLabel[look="muted"] { color: @muted; }
QLabel[look="part"] { color: @muted; padding: 2px 0; }
QLabel[look="strong"] { font-weight: 600; }
QLabel[look="refusal"] { color: @bad; }
QLabel[look="badge"] { border: 1px solid @line; border-radius: @one; padding: 2px @one; color: @text; font-weight: 600; }
QLabel[look="badge"][tone="good"] { color: @good; border-color: @good; }
QLabel[look="badge"][tone="warning"] { color: @warning; border-color: @warning; }
QLabel[look="badge"][tone="accent"] { color: @accent; border-color: @accent; }
QLabel[look="badge"][tone="bad"] { color: @bad; border-color: @bad; }
QLabel[look="empty"] { color: @muted; }

QPushButton, QToolButton {
    background: @raised; color: @text; border: 1px solid @line; border-radius: @radius; padding: @half @one; min-height: @button;
}
QPushButton:hover, QToolButton:hover { background: @hover; border-color: @accent; }
QPushButton:focus, QToolButton:focus { border: 1px solid @accent; }
QPushButton:pressed, QToolButton:pressed { background: @accent_soft; }
QPushButton:checked, QToolButton:checked { background: @accent_soft; border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @faint; border-color: @soft; background: transparent; }
QPushButton[look="primary"] { background: @accent; border-color: @accent; color: @on_accent; font-weight: 600; }
QPushButton[look="primary"]:hover { background: @accent_hover; }
QPushButton[look="primary"]:focus { border: 2px solid @text; }
QPushButton[look="primary"]:disabled { background: @soft; border-color: @soft; color: @faint; }
QToolButton[look="plain"], QPushButton[look="plain"] { background: transparent; border: 1px solid transparent; }
QToolButton[look="plain"]:hover, QPushButton[look="plain"]:hover { background: @hover; }
QToolButton[look="plain"]:focus, QPushButton[look="plain"]:focus { border-color: @accent; }
#workspaces { background: @window; border: none; }
QToolButton[look="workspace"] {
    background: transparent; border: 1px solid transparent; color: @muted; font-size: @small; padding: @one 2px; min-height: 0;
}
QToolButton[look="workspace"]:hover { background: @hover; color: @text; }
QToolButton[look="workspace"]:checked { background: @accent_soft; color: @text; }
QToolButton[look="workspace"]:focus { border-color: @accent; }
QToolButton[look="small"] { background: transparent; border: none; padding: 2px @half; min-height: 0; }
QToolButton[look="small"]:hover { background: @hover; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: @accent_soft; }
QToolButton[look="section"] {
    background: transparent; border: 1px solid transparent; color: @text; font-weight: 600; padding: @half 0; text-align: left;
}
QToolButton[look="section"]:hover { color: @accent; }
QToolButton[look="section"]:focus { border-color: @accent; }
QToolButton[look="link"], QToolButton[look="link"]:checked, QToolButton[look="link"]:pressed {
    background: transparent; border: 1px solid transparent; color: @accent; padding: 0 @half; min-height: 0;
}
QToolButton[look="link"]:hover, QToolButton[look="link"]:focus { border-color: @accent; }
QToolButton[look="automatic"] { background: transparent; border: 1px solid @line; color: @muted; padding: 1px @half; }
QToolButton[look="automatic"]:checked { background: transparent; border-color: transparent; color: @accent; }
QToolButton[look="automatic"]:hover, QToolButton[look="automatic"]:focus { border-color: @accent; }

QAbstractSpinBox, QLineEdit, QComboBox {
    background: @raised; color: @text; border: 1px solid @line; border-radius: @radius; padding: 2px @half; min-height: @field;
    selection-background-color: @accent; selection-color: @on_accent;
}
QAbstractSpinBox:hover, QLineEdit:hover, QComboBox:hover { border-color: @muted; }
QAbstractSpinBox:focus, QLineEdit:focus, QComboBox:focus { border: 1px solid @accent; }
QAbstractSpinBox:disabled, QLineEdit:disabled, QComboBox:disabled { color: @faint; border-color: @soft; }
QAbstractSpinBox[state="automatic"], QLineEdit[state="automatic"], QComboBox[state="automatic"] { color: @muted; }
QAbstractSpinBox[state="refused"], QLineEdit[state="refused"], QComboBox[state="refused"] {
    border: 1px solid @bad; background: @bad_soft;
}
QComboBox QAbstractItemView {
    background: @raised; color: @text; border: 1px solid @line; selection-background-color: @accent_soft; selection-color: @text;
    outline: none;
}

QSlider { min-height: @three; }
QSlider::groove:horizontal { height: 4px; background: @line; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider[state="automatic"]::sub-page:horizontal { background: @faint; }
QSlider::handle:horizontal { width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; background: @text; }
QSlider[state="automatic"]::handle:horizontal { background: @muted; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: @accent; }
QSlider:focus { border: none; }

QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { background: transparent; border: none; width: @two; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: @hover; }
QAbstractSpinBox::up-button:pressed, QAbstractSpinBox::down-button:pressed { background: @accent_soft; }
QAbstractSpinBox::up-arrow { image: url("@icons/arrow_up_@name.png"); width: 12px; height: 12px; }
QAbstractSpinBox::down-arrow { image: url("@icons/arrow_@name.png"); width: 12px; height: 12px; }
QComboBox::drop-down { border: none; width: @two; }
QComboBox::down-arrow { image: url("@icons/arrow_@name.png"); width: 16px; height: 16px; }
QCheckBox { spacing: @one; background: transparent; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid @line; border-radius: @radius; background: @raised; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url("@icons/tick_@name.png"); }
QRadioButton { spacing: @one; background: transparent; }
QRadioButton::indicator { width: 14px; height: 14px; border: 2px solid @muted; border-radius: 9px; background: @raised; }
QRadioButton::indicator:hover, QRadioButton::indicator:focus { border-color: @accent; }
QRadioButton::indicator:checked { border: 6px solid @accent; width: 6px; height: 6px; background: @raised; }
QProgressBar { background: @line; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }

QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: @one; margin: 0; }
QScrollBar:horizontal { background: transparent; height: @one; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; min-height: @three; min-width: @three; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QTableView {
    background: @surface; alternate-background-color: @window; color: @text; border: none; gridline-color: @soft;
    selection-background-color: @accent_soft; selection-color: @text;
}
QTableView:focus { border: 1px solid @accent; }
QHeaderView { background: @surface; }
QHeaderView::section {
    background: @surface; color: @muted; border: none; border-bottom: 1px solid @line; padding: @half @one;
}
QTableCornerButton::section { background: @surface; border: none; }

QStatusBar { background: @window; color: @muted; border-top: 1px solid @soft; }
QStatusBar::item { border: none; }

#pane, #headline { background: @surface; border: 1px solid @soft; border-radius: @one; }
#scrolled { background: transparent; }
#message { background: @bad_soft; border: 1px solid @bad; border-radius: @one; }
#message[tone="note"] { background: @warning_soft; border-color: @warning; }
#rule { background: @soft; max-height: 1px; min-height: 1px; }
"""
