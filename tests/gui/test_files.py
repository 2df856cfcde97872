"""The thread for files."""

from collections.abc import Iterator

import pytest
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.files import FileThread
from lnexplorer.gui.shell.mailbox import Mailbox


@pytest.fixture
def files(qtbot: QtBot) -> Iterator[FileThread]:
    mailbox = Mailbox()
    thread = FileThread(mailbox)
    yield thread
    thread.close()
    mailbox.close()
    qtbot.wait(1)


def test_an_error_that_is_foreseen_is_a_warning(files: FileThread, qtbot: QtBot) -> None:
    def work() -> None:
        raise ValueError("It is no recording.")

    with qtbot.waitSignal(files.warned) as warned, qtbot.assertNotEmitted(files.failed):
        files.do(work, lambda _nothing: pytest.fail("there is nothing to hand over"))
    assert warned.args == ["It is no recording."]


def test_an_error_that_nobody_expected_is_told_and_logged(
    files: FileThread, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    with qtbot.waitSignal(files.failed) as failed:
        files.do(lambda: {}["page"], lambda _nothing: pytest.fail("there is nothing to hand over"))
    assert failed.args == ["Something unexpected went wrong with a file: KeyError: 'page'"]
    qtbot.waitUntil(lambda: "KeyError" in caplog.text)  # the thread logs it after it has told it
    with qtbot.waitSignal(files.warned) as warned:  # the thread goes on
        files.do(lambda: "a.txt", files.warned.emit)
    assert warned.args == ["a.txt"]


def test_an_error_of_whoever_is_given_the_result_is_told_too(files: FileThread, qtbot: QtBot) -> None:
    def show(_found: int) -> None:
        raise LookupError

    with capture_exceptions() as raised, qtbot.waitSignal(files.failed) as failed:
        files.do(lambda: 1, show)
    assert failed.args == ["Something unexpected went wrong with a file: LookupError"]
    assert [kind for kind, _, _ in raised] == [LookupError]
