"""Numbers of what the history holds, when the file does not take something at once."""

from collections.abc import Callable, Iterable, Sequence

from lnexplorer.store.history_file import HistoryFile
from lnexplorer.store.history_schema import FIRST_MEMORY_ID
from lnexplorer.store.history_store import Store


class Numbers:
    """Those of one kind of thing."""

    def __init__(self, file: HistoryFile) -> None:
        self._file = file
        self._moved: dict[int, int] = {}  # numbers that things had in memory, and have in the file
        self.hidden: set[int] = set()  # deleted ones in the file, which does not know that yet

    def now(self, id_: int) -> int:
        """The number of what had this one."""
        return self._moved.get(id_, id_)

    def apart(self, ids: Iterable[int]) -> tuple[list[int], list[int]]:
        """Numbers as they are now: those in memory, and those in the file."""
        found = [self.now(id_) for id_ in ids]
        return [id_ for id_ in found if id_ >= FIRST_MEMORY_ID], [id_ for id_ in found if id_ < FIRST_MEMORY_ID]

    def note_move(self, id_: int, number: int) -> None:
        """What had a number in memory has one in the file."""
        self._moved[id_] = number

    def set_deleted(self, ids: Sequence[int], mark: Callable[[Store, Sequence[int]], None], *, deleted: bool) -> None:
        """Delete things or bring them back; `mark` writes that about those of one database."""
        in_memory, on_disk = self.apart(ids)
        if in_memory:
            mark(self._file.memory, in_memory)
        if on_disk and not self._file.change(0, lambda store: mark(store, on_disk)):
            self.hidden = self.hidden | set(on_disk) if deleted else self.hidden - set(on_disk)
