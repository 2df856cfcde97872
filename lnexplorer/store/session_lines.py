"""A session's text, read line by line where it is laid out as it was written: each run, sweep and experiment has a line.

Python's lock is held while a text is decoded, and hundreds of megabytes in one piece would stop every other thread.
"""

from collections.abc import Callable, Iterator
from typing import Any

BEGIN, LIST, END = b'"session": {', b": [", b"}}"


def by_lines(data: bytes, load: Callable[[bytes], Any]) -> Any:
    """The whole file as dicts, lists and values; None where it is laid out otherwise, or damaged.

    Args:
        data: the file.
        load: reads a piece of JSON, and raises ValueError where it is none.
    """
    try:
        return _read(_lines(data), load)
    except (ValueError, TypeError, StopIteration):
        return None


def _read(lines: Iterator[bytes], load: Callable[[bytes], Any]) -> Any:
    head = next(lines)
    if not head.endswith(BEGIN):
        return None
    whole = load(head + END)
    session: dict[str, Any] = whole["session"]
    items: list[Any] | None = None  # of the list that is being read
    for line in lines:
        if items is not None:
            text = line.removesuffix(b",")
            last = text.endswith(b"}]")
            items.append(load(text[:-1] if last else text))
            items = None if last else items
        elif line == END:
            return whole
        elif line.endswith(LIST):
            (key,) = load(b"{" + line + b"]}")
            items = session[key] = []
        else:
            session.update(load(b"{" + line.removesuffix(b",") + b"}"))
    return None  # its end is missing


def _lines(data: bytes) -> Iterator[bytes]:
    begin = 0
    while (end := data.find(b"\n", begin)) >= 0:
        yield data[begin:end]
        begin = end + 1
