"""How docks were left, in bytes: what Qt says of them, and what it does not, so that they suit a window of another size, too."""

from dataclasses import dataclass

from PySide6.QtCore import QByteArray

_BEGINNING = b"lnexplorer docks\n"  # Qt's own bytes begin with a marker that is no letter
_WORDS = {b"follows": True, b"arranged": False}


@dataclass(frozen=True, slots=True)
class DockState:
    """Docks as they were left. None is what nobody has noted: earlier versions kept Qt's bytes alone."""

    arrangement: bytes  # Qt's
    width: int | None = None  # px, of the window
    form: int | None = None  # px, how wide the parameters were
    follows_size: bool | None = None  # whether the window's size had put the docks where they are


def packed(arrangement: bytes, *, width: int, form: int, follows_size: bool) -> QByteArray:
    """In bytes, for a file."""
    word = next(word for word, follows in _WORDS.items() if follows is follows_size)
    return QByteArray(_BEGINNING + b"%d %d %s\n" % (width, form, word) + arrangement)


def unpacked(state: QByteArray) -> DockState:
    """What `packed` gave, or Qt's own bytes. Anything else is an arrangement that Qt will refuse."""
    kept = bytes(state.data())
    if not kept.startswith(_BEGINNING):
        return DockState(kept)
    facts, _, arrangement = kept.removeprefix(_BEGINNING).partition(b"\n")
    match facts.split():
        case [width, form, word] if width.isdigit() and form.isdigit() and word in _WORDS:
            return DockState(arrangement, int(width), int(form), _WORDS[word])
    return DockState(b"")
