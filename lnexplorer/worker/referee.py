"""`python -m lnexplorer.worker.referee`: judges a user's kernel, and never loads its file.

It makes the inputs and computes the truth itself, so that nothing that the file does to its own
process, such as a comparison that is replaced, or a reference that is read from memory, changes a
verdict. Results come as files in shared memory, submissions and verdicts as frames.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import torch
from torch import Tensor

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.protocol.codec import decode, encode, read_frame, write_frame
from lnexplorer.worker.checking import inputs_of
from lnkernels import device as devices
from lnkernels.check.judging import Judge, Judgement, Since, changed_since, judge
from lnkernels.failures import reason_of
from lnkernels.values import ExplainedError, Sentence, frozen

COMMAND = (sys.executable, "-P", "-m", "lnexplorer.worker.referee")
SHARED_MEMORY = Path("/dev/shm")


class RefereeError(ExplainedError):
    """There is no verdict."""


@frozen
class Submission:
    """Results of a problem, each a file of a folder with this type and shape."""

    problem: ResolvedRequest
    device: str
    since: Since
    folder: str
    results: dict[str, tuple[str, tuple[int, ...]]]


@frozen
class Answer:
    """A verdict, or why there is none."""

    judgement: Judgement | None = None
    failure: Sentence | None = None


class Referee:
    """A process that judges, started when it is first asked or told to."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, which takes seconds, unless it is there."""
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        environment = {
            name: each for name, each in os.environ.items() if name != "TRITON_INTERPRET"
        }
        self._process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        if self._device.type == "cuda":
            devices.helpers.append(self._process)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            with self._process:  # which closes its pipes, and waits
                self._process = None

    def judge_of(self, problem: ResolvedRequest) -> Judge:
        """Return who judges results of a problem.

        Raises, when it is called:
            RefereeError: the process ended, or could not judge.
        """

        def ask(results: Mapping[str, Tensor], since: Since) -> Judgement:
            shared = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
            with tempfile.TemporaryDirectory(dir=shared) as folder:
                kinds = {}
                for name, one in results.items():
                    whole = one.detach().contiguous().view(torch.uint8).cpu()
                    whole.numpy().tofile(Path(folder, name))
                    kinds[name] = str(one.dtype).removeprefix("torch."), tuple(one.shape)
                return self._ask(Submission(problem, str(self._device), since, folder, kinds))

        return ask

    def _ask(self, submission: Submission) -> Judgement:
        self.start()
        process = self._process
        assert process is not None, "just started"
        submissions, answers = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        try:
            write_frame(submissions, encode(submission))
            submissions.flush()
            frame = read_frame(answers)
        except OSError:
            frame = None
        if frame is None:
            status = process.wait()
            raise RefereeError(
                "the process that judges it ended with status {status}", status=status
            )
        answer = decode(frame, Answer)
        if answer.judgement is None:
            raise RefereeError("it could not be judged: {why}", why=answer.failure or "")
        return answer.judgement


def main() -> int:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not be taken for an answer
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        write_frame(answers, encode(_answer(decode(frame, Submission))))
        answers.flush()
    return 0


def _answer(submission: Submission) -> Answer:
    try:
        return Answer(judgement=_judge(submission))
    except Exception as error:  # noqa: BLE001  whoever asked tells it
        return Answer(failure=reason_of(error))
    finally:
        if submission.device != "cpu":
            torch.cuda.empty_cache()  # for the process that times


def _judge(submission: Submission) -> Judgement:
    problem, device = submission.problem, torch.device(submission.device)
    inputs = changed_since(submission.since, inputs_of(problem, device))
    results = {
        name: torch.from_numpy(np.fromfile(Path(submission.folder, name), np.uint8))
        .view(getattr(torch, dtype))
        .view(shape)
        .to(device)
        for name, (dtype, shape) in submission.results.items()
    }
    return judge(results, inputs, problem.eps, problem.launch)


if __name__ == "__main__":
    sys.exit(main())
