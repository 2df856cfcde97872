"""Versions of a user's kernels: the text of each file that was checked, and the verdict."""

import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.peers import CEILINGS, known_providers
from lnexplorer.store.database import Table
from lnexplorer.store.files import StoreError, write_whole
from lnexplorer.store.packed import deflate, inflate
from lnexplorer.store.resources import resource
from lnkernels.launch.source import SourceError, name_with, read_source


def new_kernel_text(path: Path, start: str = "new_kernel.txt") -> str:
    """Return the text of a new file with a plain Triton LayerNorm, from one of the resources."""
    text = resource(start).read_text(encoding="utf-8")
    # It stands in a docstring, which quotes, backslashes and ends of lines would end or break.
    shown = re.sub(r"[^\w .,+=@%~()-]", "_", path.name)
    shown = f"'{shown}'" if re.search(r"[ ()~]", shown) else shown  # as a shell takes it
    name = name_with(path.stem, {})
    taken = name in (*known_providers(), *CEILINGS, "none")
    return text.replace('NAME = "my_norm"', f'NAME = "{"my_" * taken}{name}"').replace(
        "FILE", shown
    )


class Kernels(Table):
    name = "kernels"
    columns = ("place", "version", "sha256", "date", "text")
    blobs = ("record",)  # a KernelVersion, msgpack, deflated

    def keep(self, found: KernelVersion) -> KernelVersion | None:
        """Keep the verdict on a file's text, with that text; None where the file has changed.

        The newest text that is kept gets no second version, but the newer verdict. What hard inputs
        found of a text stays with it until they are tried again.
        """
        try:
            read = read_source(Path(found.place))
        except SourceError:
            return None
        if read.sha256 != found.sha256:
            return None
        sql = (
            "SELECT id, version, sha256 FROM kernels WHERE place = ? AND deleted IS NULL ORDER"
            " BY version DESC LIMIT 1"
        )
        hard = found.hard if found.hard is not None and found.hard.is_verdict else None
        if hard is None:
            same = (each for each in self.versions(found.place) if each.sha256 == found.sha256)
            hard = next((each.hard for each in reversed(list(same)) if each.hard), None)
        with self._database.change() as connection:  # another program may be counting, too
            id_, version, sha256 = connection.execute(sql, (found.place,)).fetchone() or (0, 0, "")
            again = sha256 == found.sha256
            kept = replace(found, version=version if again else version + 1, hard=hard)
            values = {name: getattr(kept, name) for name in ("place", "version", "sha256", "date")}
            if again:
                connection.execute("DELETE FROM kernels WHERE id = ?", (id_,))
            self._insert(connection, values | {"text": read.text, "record": deflate(kept)})
        return kept

    def versions(self, place: str) -> list[KernelVersion]:
        """Return the versions of a file, oldest first, without those that are damaged."""
        return list(
            self._read_rows(
                ("record",),
                lambda values: inflate(values["record"], KernelVersion),
                "AND place = ? ORDER BY version",
                (place,),
            )
        )

    def places(self) -> list[str]:
        """Return the files of which there are versions, last checked first."""
        sql = (
            "SELECT place FROM kernels WHERE deleted IS NULL GROUP BY place ORDER BY max(date) DESC"
        )
        return [place for (place,) in self._database.rows(sql)]

    def file(self, place: str, version: int) -> Path:
        """Return a file beside the history with the text of a version, for the compiler.

        Raises:
            OSError: it cannot be written.
        """
        folder = self._database.path.with_name("versions") / sha256(place.encode()).hexdigest()[:16]
        path = folder / f"{Path(place).stem}_{version}.py"
        write_whole(path, self.text(place, version).encode())
        return path

    def text(self, place: str, version: int) -> str:
        """Return the text of a version.

        Raises:
            StoreError: there is no such version.
        """
        sql = "SELECT text FROM kernels WHERE deleted IS NULL AND place = ? AND version = ?"
        found = self._database.rows(sql, (place, version))
        if not found:
            raise StoreError(
                "There is no version {version} of {place}.", version=version, place=place
            )
        return str(found[0][0])
