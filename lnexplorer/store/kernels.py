"""Versions of kernels of one's own: the text of each file that was run, with the run that has its figures."""

from dataclasses import dataclass
from datetime import UTC, datetime

from lnexplorer.store.database import Table
from lnexplorer.store.files import StoreError
from lnkernels.sentence import say


@dataclass(frozen=True, slots=True)
class KernelVersion:
    """One text of a file; versions of one file are counted from 1."""

    id: int
    date: str  # when it was run last
    place: str  # absolute path of the file
    name: str  # of the provider
    version: int
    sha256: str
    run: int  # the newest run of it


class Kernels(Table):
    name = "kernels"
    columns = ("date", "place", "name", "version", "sha256", "run", "text")

    def keep(self, place: str, name: str, sha256: str, text: str, run: int) -> KernelVersion:
        """Keep a text that was run; one that is the file's newest already gets the new run."""
        date = datetime.now(UTC).isoformat(timespec="seconds")
        known = self.versions(place)
        newest = known[-1] if known else None
        with self._database.change() as connection:
            if newest is not None and newest.sha256 == sha256:
                for column, value in (("run", run), ("date", date), ("name", name)):
                    self._change(connection, newest.id, column, value)
                return KernelVersion(newest.id, date, place, name, newest.version, sha256, run)
            values = {"date": date, "place": place, "name": name, "version": newest.version + 1 if newest else 1}
            values |= {"sha256": sha256, "run": run, "text": text}
            id_ = self._insert(connection, values)
        return KernelVersion(id_, date, place, name, int(values["version"]), sha256, run)

    def versions(self, place: str) -> list[KernelVersion]:
        """Those of a file, oldest first; a damaged one is left out."""
        names = ("id", *self.columns[:-1])
        return [KernelVersion(*values) for values in self._whole_rows(names, "AND place = ? ORDER BY version", (place,))]

    def places(self) -> list[str]:
        """Files of which there are versions, the one that was run last first."""
        sql = "SELECT place FROM kernels WHERE deleted IS NULL GROUP BY place ORDER BY max(date) DESC"
        return [place for (place,) in self._database.rows(sql)]

    def text(self, place: str, version: int) -> str:
        """The text of a version.

        Raises:
            StoreError: there is no such version, or it is damaged.
        """
        found = list(self._whole_rows(("text",), "AND place = ? AND version = ?", (place, version)))
        if not found:
            raise StoreError(say("There is no version {version} of {place}.", version=version, place=place))
        return str(found[0][0])
