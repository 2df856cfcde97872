"""What workers that compute nothing have in common: the real worker's pipes, and its options."""

import argparse
from collections.abc import Callable

from lnexplorer.worker.__main__ import die_with_parent
from lnexplorer.worker.connection import Connection


def connect(on_cancel: Callable[[int], None] = lambda _: None) -> tuple[Connection, str]:
    """The open connection to the engine, and the device that is wished."""
    parser = argparse.ArgumentParser()
    for option, kind in (
        ("--commands", int),
        ("--events", int),
        ("--device", str),
        ("--parent", int),
    ):
        parser.add_argument(option, type=kind)
    options = parser.parse_args()
    die_with_parent(options.parent)
    connection = Connection(options.commands, options.events, on_cancel)
    connection.open()
    return connection, options.device
