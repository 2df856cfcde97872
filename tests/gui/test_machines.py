"""The form that adds a machine, and what the menu calls it."""

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.doctor.facts import Driver, Gpu, Torch, WorkerFacts
from lnexplorer.domain.machines import AddressError
from lnexplorer.engine.ssh import Contact
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.window import machines
from lnexplorer.gui.window.actions import Actions
from lnexplorer.gui.window.machines import MachineDialog
from lnkernels.values.sentence import say
from tests.gui.windows import press

FACTS = WorkerFacts(
    system="Linux",
    python=(3, 12, 4),
    packages={"torch": "2.11.0", "triton": "3.6.0", "numpy": "2.0.0"},
    torch=Torch(version="2.11.0", triton="3.6.0", cuda="13.0", gpus=1),
    driver=Driver(
        version="580.65.06",
        cuda=(13, 0),
        gpus=(
            Gpu(
                index=0,
                name="NVIDIA <b>H200</b>",
                compute_capability=(9, 0),
                memory_bytes=141 << 30,
                free_bytes=140 << 30,
                drives_display=False,
                processes=("python3 (7)",),
            ),
        ),
    ),
)
CONTACT = Contact(
    version="0.1.0", messages="m", executable="/env/bin/python", trouble="", facts=FACTS
)


@pytest.fixture
def dialog(delivery: Delivery, qtbot: QtBot) -> MachineDialog:
    made = MachineDialog(delivery)
    qtbot.addWidget(made)
    return made


def test_an_address_is_judged_while_it_is_typed(dialog: MachineDialog) -> None:
    assert not dialog.use.isEnabled()
    dialog.address.setText("ada@rack7:2222/cuda:1")
    assert dialog.use.isEnabled()
    assert dialog.device == "ssh://ada@rack7:2222/cuda:1"
    dialog.python.setText("python3")
    assert not dialog.use.isEnabled()
    assert "~/venv/bin/python" in dialog.said.text()
    dialog.python.setText("~/venv/bin/python")
    assert dialog.device == "ssh://ada@rack7:2222/cuda:1?python=~/venv/bin/python"


def test_the_form_shows_what_is_there_as_plain_text_with_what_is_wrong(
    dialog: MachineDialog,
) -> None:
    dialog.address.setText("rack7")
    dialog.show_contact(CONTACT)
    assert "GPUs: NVIDIA <b>H200</b>" in dialog.said.text()
    assert "Other programs use this GPU" in dialog.said.text()
    dialog.show_failure(say("There is no host {host}: {cause}.", host="rack7", cause="unknown"))
    assert dialog.said.text() == "There is no host rack7: unknown."
    assert dialog.test.isEnabled()


def test_return_tests_an_address_and_takes_the_machine_only_once_it_is_usable(
    dialog: MachineDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
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
    dialog.address.setText("rack7")
    for expected in ("There is no host rack7.", "GPUs: NVIDIA"):
        dialog.address.setFocus()
        press(dialog.address, "Return")
        qtbot.waitUntil(lambda expected=expected: expected in dialog.said.text())
        assert dialog.isVisible(), "nothing untested is taken"
    assert looked == ["ssh://rack7", "ssh://rack7"]
    press(dialog.address, "Return")
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_what_was_found_on_another_machine_is_not_said_of_the_one_that_is_typed(
    dialog: MachineDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Event()
    monkeypatch.setattr(machines, "look_at", lambda _device, given_up: looked.wait(10) and CONTACT)
    dialog.address.setText("rack7")
    dialog.test.click()
    dialog.address.setText("rack9")
    looked.set()
    done: list[None] = []
    dialog._looks.do(lambda: None, done.append)
    qtbot.waitUntil(lambda: bool(done))
    assert dialog.said.text() == ""


def test_a_form_that_is_closed_while_it_looks_ends_the_look(
    dialog: MachineDialog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ssh").write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'import time; time.sleep(3600)'\n"
    )
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    dialog.address.setText("rack7")
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
    actions.name_restart(remote=True)
    assert actions["restart"].text() == "&Reconnect"
    actions.name_restart(remote=False)
    assert actions["restart"].text() == "Restart &worker"
