"""The state of a session, the services that change it, files and history; no window."""
# ruff: noqa: F403  # a name is public where its module has no underscore before it

from lnexplorer.gui.session.files import *
from lnexplorer.gui.session.history import *
from lnexplorer.gui.session.messages import *
from lnexplorer.gui.session.pinned import *
from lnexplorer.gui.session.services import *
from lnexplorer.gui.session.session import *
from lnexplorer.gui.session.state import *
from lnexplorer.gui.session.under_way import *
