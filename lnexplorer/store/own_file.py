"""What all files of this program's own kinds share: read with a bound, written whole, refused in one sentence."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lnexplorer.store.archive import RecordingError
from lnexplorer.store.aside import reason, write_parts
from lnexplorer.store.plain_json import special_number
from lnexplorer.store.reading import TooLargeError, read_at_most

T = TypeVar("T")
LONGEST = 300  # characters of a reason: it may name what a foreign file holds


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnKind:
    """One kind of file."""

    name: str  # "recording", for sentences
    format: str  # "lnexplorer recording", in the file
    version: int  # the newest that is read, and the one that is written
    suffix: str
    most_bytes: int
    error: type[ValueError] = RecordingError  # what is raised, with one sentence

    def read(self, path: Path, decode: Callable[[bytes], T]) -> T:
        """What `decode` makes of a file. It raises `error` with a reason alone, without a full stop.

        Raises:
            ValueError: of type `error`: the file cannot be read, or is refused; one sentence that names it and the cause.
        """
        try:
            data = read_at_most(path, self.most_bytes)
        except OSError as error:
            raise self.error(f"{path} cannot be read ({reason(error)}).") from error
        except TooLargeError as error:
            most = f"a {self.name} is at most {self.most_bytes >> 20} MiB"
            raise self.error(f"{path} cannot be opened: {most}.") from error
        try:
            return decode(data)
        except self.error as error:
            raise self.error(f"{path} cannot be opened: {short(error)}.") from error

    def write(self, path: Path, data: bytes | Iterable[bytes]) -> None:
        """Write a file, whole or not at all: its content, or the parts of it as they are made.

        Raises:
            ValueError: of type `error`: it cannot be written; one sentence. Or what making a part raises.
        """
        try:
            write_parts(path, (data,) if isinstance(data, bytes) else data)
        except OSError as error:
            raise self.error(f"The {self.name} cannot be saved as {path} ({reason(error)}).") from error

    def check_head(self, head: Any) -> None:
        """Refuse what is of another kind or version, by the `format` and `version` of a JSON object."""
        found = head.get("format") if isinstance(head, dict) else None
        # An array may stand anywhere in a file, and an array that is compared is neither true nor false.
        if not isinstance(found, str) or found != self.format:
            raise self.error(f"it is not a {self.name} of this program")
        version = head["version"] if type(head.get("version")) is int else None
        if version is not None and version > self.version:
            raise self.error(f"it has version {version} of the format, and this program reads version {self.version}")
        if version != self.version:
            raise self.error("its version is not known")

    def load(self, data: bytes, array: Callable[[Any], Any]) -> Any:
        """JSON with its special numbers back in their places, and its arrays.

        Args:
            data: the text.
            array: what {"array": …} stands for, given the value; raises `error` where that is none.
        """

        def value_of(found: dict[str, Any]) -> Any:
            if found.keys() == {"array"}:
                return array(found["array"])
            number = special_number(found)
            return found if number is None else number

        try:
            return json.loads(data, object_hook=value_of)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            if isinstance(error, self.error):
                raise
            raise self.error(f"it is not a {self.name}, or its text is damaged") from error


def short(said: object) -> str:
    """A reason on one line that can be read at a glance, and that commands no terminal, whatever a file holds."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(said)[: LONGEST + 1])
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
