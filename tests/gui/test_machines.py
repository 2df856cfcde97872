"""The form that adds a machine, and what the menu calls it."""

import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.machines import AddressError
from lnexplorer.engine.ssh import Contact
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.window import machines
from lnexplorer.gui.window.actions import Actions
from lnexplorer.gui.window.machines import MachineDialog
from lnkernels.values.sentence import say
from tests.doctor.test_findings import with_gpu
from tests.engine.loopback import write_program
from tests.gui.windows import Until, press

FACTS = with_gpu(name="NVIDIA <b>H200</b>", processes=("python3 (7)",))
CONTACT = Contact(
    version="0.1.0", messages="m", executable="/env/bin/python", trouble="", facts=FACTS
)


@pytest.fixture
def dialog(delivery: Delivery, qtbot: QtBot) -> MachineDialog:
    made = MachineDialog(delivery)
    qtbot.addWidget(made)
    made.address.setText("rack7")
    return made


def test_an_address_is_judged_while_it_is_typed(dialog: MachineDialog) -> None:
    dialog.address.setText("")
    assert not dialog.use.isEnabled()
    dialog.address.setText("ada@rack7:2222/cuda:1")
    assert dialog.use.isEnabled()
    assert dialog.device == "ssh://ada@rack7:2222/cuda:1"
    dialog.python.setText("python3")
    assert not dialog.use.isEnabled()
    assert "~/venv/bin/python" in dialog.said.text()
    dialog.python.setText("~/venv/bin/python")
    assert dialog.device == "ssh://ada@rack7:2222/cuda:1?python=~/venv/bin/python"


def test_return_tests_an_address_and_takes_the_machine_only_once_it_is_usable(
    dialog: MachineDialog, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [say("There is no host {host}.", host="rack7"), CONTACT]
    looked: list[str] = []

    def look(device: str, given_up: object) -> Contact:
        looked.append(device)
        answer = answers.pop(0)
        if isinstance(answer, Contact):
            return answer
        raise AddressError(answer)

    monkeypatch.setattr(machines, "look_at", look)
    dialog.show()
    for expected in ("There is no host rack7.", "GPUs: NVIDIA <b>H200</b>"):
        dialog.address.setFocus()
        press(dialog.address, "Return")
        until(lambda expected=expected: expected in dialog.said.text())
        assert dialog.isVisible(), "nothing untested is taken"
        assert dialog.test.isEnabled()
    assert "Other programs use this GPU" in dialog.said.text()
    assert looked == ["ssh://rack7", "ssh://rack7"]
    press(dialog.address, "Return")
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_what_was_found_on_another_machine_is_not_said_of_the_one_that_is_typed(
    dialog: MachineDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Event()
    monkeypatch.setattr(machines, "look_at", lambda _device, given_up: looked.wait(10) and CONTACT)
    dialog.test.click()
    dialog.address.setText("rack9")
    looked.set()
    with qtbot.waitCallback() as done:
        dialog._looks.do(lambda: None, done)
    assert dialog.said.text() == ""


def test_a_form_that_is_closed_while_it_looks_ends_the_look(
    dialog: MachineDialog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_program(tmp_path / "ssh", "exec sleep 3600")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    dialog.test.click()
    assert not dialog.test.isEnabled()
    dialog.reject()  # waits for the end of the look


def test_machines_stand_in_the_menu_and_a_restart_there_is_a_reconnect(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    actions.set_devices(["auto", "ssh://ada@rack7", "ssh://rack8/cuda:1"], "ssh://ada@rack7")
    texts = [action.text() for action in actions.groups["devices"].actions()]
    assert texts == ["The best there is", "rack7", "GPU 1 on rack8"]
    for remote, text in ((True, "&Reconnect"), (False, "Restart &worker")):
        actions.name_restart(remote=remote)
        assert actions["restart"].text() == text
