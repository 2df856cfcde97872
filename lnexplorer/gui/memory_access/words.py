"""Accesses in words."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.touch import Touched
from lnkernels.values.touched import Access, rows

# The buffers as the kernels' arguments and the lectures call them.
NAMES = {"partial_dw": "partial dw", "partial_db": "partial db"}


def action_text(action: str) -> str:
    """What is done, in a word or two."""
    match action:
        case "load":
            return QCoreApplication.translate("touch", "reads")
        case "store":
            return QCoreApplication.translate("touch", "writes")
        case "compare and swap":
            return QCoreApplication.translate("touch", "tries the lock")
        case "exchange":
            return QCoreApplication.translate("touch", "gives back")
        case "add":
            return QCoreApplication.translate("touch", "counts up")
        case _:
            return action


def where_text(access: Access, n: int) -> str:
    """The buffer with its rows, as partial dw[3] or x[17]."""
    name = NAMES.get(access.buffer, access.buffer)
    found = rows(access, n)
    if not found:
        return f"{name}[{int(access.offsets[0])}]" if not access.lanes else name
    return f"{name}[{found[0]}]" if len(found) == 1 else f"{name}[{found[0]}…{found[-1]}]"


def detail_text(access: Access, touched: Touched) -> str:
    """Everything about one access, in a line."""
    used = access.offsets[access.mask]
    first, last = (int(used.min()), int(used.max())) if used.size else (int(access.offsets[0]), int(access.offsets[-1]))
    offsets = f"{first}" if first == last else f"{first} … {last}"
    text = QCoreApplication.translate(
        "touch", "program {program} {action} {where}: offsets {offsets}, lanes {lanes}, masked {masked}; {file}, line {line}"
    )
    return text.format(
        program=access.program,
        action=action_text(access.action),
        where=where_text(access, touched.resolved.n),
        offsets=offsets,
        lanes=access.mask.size,
        masked=access.masked,
        file=access.file,
        line=access.line,
    )
