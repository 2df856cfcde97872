"""The settings that are kept between starts, apart from the history and the window's geometry."""

import json
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from lnexplorer.domain.machines import AddressError, is_remote, read_machine
from lnexplorer.domain.peers import DEFAULT_PEERS, check_peers
from lnexplorer.domain.request import RunRequest, check_anywhere
from lnexplorer.protocol.codec import from_plain, to_plain
from lnexplorer.store.files import StoreError, keep_aside, reason, write_whole
from lnkernels.values import Sentence, frozen_by_name, say

FORMAT = "lnexplorer settings"
VERSION = 1


@frozen_by_name
class Settings:
    request: RunRequest | None = None  # the last one; None before the first run
    theme: Literal["system", "dark", "light"] = "system"
    language: Literal["system", "en", "zh_CN"] = "system"
    text_percent: Literal[80, 100, 120, 140, 160] = 100  # of the usual size
    live: bool = True  # run while parameters move
    peers: tuple[str, ...] = DEFAULT_PEERS  # who is timed beside the kernels
    device: str | None = None  # as --device takes it; None takes the best one
    machines: tuple[str, ...] = ()  # that are reached over SSH, as --device takes them
    # Ways into the program that were used: they are no longer pointed out.
    doors: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()  # paths of files that were opened, the newest first
    solved: tuple[str, ...] = ()  # names of exercises
    presets: dict[str, RunRequest] = field(default_factory=dict)  # the user's own, by name


@frozen_by_name
class _File:
    format: str
    version: int
    settings: Settings


def load_settings(path: Path) -> tuple[Settings, Sentence | None]:
    """Read the settings; return the defaults and a sentence where they cannot be used.

    A missing file is no reason for a sentence. One that is damaged, foreign or of another version
    is kept under another name.
    """
    try:
        return _checked(from_plain(json.loads(path.read_bytes()), _File)), None
    except FileNotFoundError:
        return Settings(), None
    except OSError as error:
        return Settings(), say(
            "The settings in {path} cannot be read ({why}); the defaults are in use.",
            path=path,
            why=reason(error),
        )
    except StoreError as error:
        why = error.sentence
    except (ValueError, RecursionError):
        why = say("it is damaged, or no settings file")
    try:
        kept = keep_aside(path)
    except OSError as error:
        return Settings(), say(
            "The settings in {path} are not used: {why}. The file cannot be renamed ({cause}).",
            path=path,
            why=why,
            cause=reason(error),
        )
    return Settings(), say(
        "The settings in {path} are not used: {why}. The defaults are in use, and the file is kept"
        " as {kept}.",
        path=path,
        why=why,
        kept=kept.name,
    )


def save_settings(path: Path, settings: Settings) -> Sentence | None:
    """Write the settings; return a sentence where that fails, and the file is as it was.

    Exercises that another process has solved meanwhile stay solved.
    """
    solved = tuple(dict.fromkeys((*load_settings(path)[0].solved, *settings.solved)))
    kept = replace(settings, solved=solved)
    plain = to_plain(_File(format=FORMAT, version=VERSION, settings=kept))
    data = json.dumps(plain, indent=2).encode()
    try:
        write_whole(path, data + b"\n")
    except OSError as error:
        return say("The settings cannot be saved in {path} ({why}).", path=path, why=reason(error))
    return None


def _checked(file: _File) -> Settings:
    """Return the settings of a file; StoreError, without a full stop, where they cannot be used."""
    if file.format != FORMAT or file.version != VERSION:
        raise StoreError(
            "it is {format} of version {version}, not {wanted} of version {known}",
            format=file.format[:40],
            version=file.version,
            wanted=FORMAT,
            known=VERSION,
        )
    for device in (*file.settings.machines, *filter(is_remote, (file.settings.device or "",))):
        try:
            read_machine(device)
        except AddressError as error:
            raise StoreError(
                "{field} = {value} is not possible", field="device", value=device[:80]
            ) from error
    # What is left open in a request depends on where it runs, so it is possible when it is possible
    # on either.
    requests = filter(None, (file.settings.request, *file.settings.presets.values()))
    for problems in (*map(check_anywhere, requests), check_peers(file.settings.peers)):
        for problem in problems:
            raise StoreError(
                "{field} = {value} is not possible", field=problem.field, value=problem.value
            )
    return file.settings
