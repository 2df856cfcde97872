"""Widgets, theme and translation; knows nothing of the program.

Most of its names are those of this package. Code, tables, searching and what keeps the window
responsive, which fewer parts need, have to be imported from their modules.
"""
# ruff: noqa: F403  # a name is public where its module has no underscore before it

from lnexplorer.gui.kit.languages import *
from lnexplorer.gui.kit.theme import *
from lnexplorer.gui.kit.veil import *
from lnexplorer.gui.kit.widgets import *
