"""A false OpenSSH client, with a false worker behind it: `python -m tests.attacks.false_ssh SEED`.

It is noise, an introduction or frames that are forged, a message without end, or a refusal.
"""

import json
import os
import random
import sys
import time

from lnexplorer.protocol.codec import HEADER, read_frame
from lnexplorer.protocol.messages import (
    PREAMBLE,
    Finished,
    JobEnded,
    JobProgress,
    WorkerReady,
    encode_message,
)
from lnexplorer.worker.remote import what_is_here
from lnkernels.values.sentence import verbatim
from tests.attacks.mutations import HOSTILE_TEXTS, damaged, forged_message, with_hostile_texts
from tests.sample_results import make_device, make_result

LINGERS_S = 0.5  # after what it had to say


def main() -> int:
    rng = random.Random(int(sys.argv[1]))
    match rng.randrange(6):
        case 0:
            say(rng.randbytes(rng.choice((1, 100, 70_000))))
        case 1:
            say(damaged(PREAMBLE + introduction(rng), rng))
        case 2:
            os.write(2, rng.choice(HOSTILE_TEXTS).encode(errors="replace") + b"\r\n")
            return rng.choice((0, 1, 90, 91, 92, 127, 137, 255))
        case 3:
            say(PREAMBLE + introduction(rng) + HEADER.pack(rng.choice((1 << 30, 1 << 62))))
        case _:
            say(PREAMBLE + introduction(rng))
            answer(rng)
    time.sleep(LINGERS_S)
    return rng.choice((0, 1, 255))


def introduction(rng: random.Random) -> bytes:
    words = what_is_here(thoroughly=False) | {
        "executable": rng.choice(("/usr/bin/python3", *HOSTILE_TEXTS)),
        "trouble": rng.choice(("", "", "", *HOSTILE_TEXTS[:3])),
    }
    return json.dumps(words).encode() + b"\n"


def answer(rng: random.Random) -> None:
    """Be ready, and answer a job, each as a worker would, forged, or full of hostile texts."""
    spoil = rng.choice((forged_message, with_hostile_texts, lambda data, _rng: data))
    ready = encode_message(WorkerReady(make_device("interpreter")))
    say(frame(spoil(ready, rng) if rng.random() < 0.5 else ready))
    while read_frame(sys.stdin.buffer) == b"":
        pass  # somebody is there
    step = JobProgress(1, "run", verbatim(rng.choice(HOSTILE_TEXTS)), 1, 2)
    end = JobEnded(1, Finished(make_result(4, 8)))
    for event in (step, end):
        say(frame(spoil(encode_message(event), rng)))


def frame(payload: bytes) -> bytes:
    return HEADER.pack(len(payload)) + payload


def say(data: bytes) -> None:
    """Write all of it, as long as somebody reads."""
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.exit(main())
