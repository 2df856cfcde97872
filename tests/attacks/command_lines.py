"""Random command lines of the program."""

import random

from lnexplorer.cli.commands import COMMANDS
from tests.attacks.files import RECORDINGS
from tests.attacks.mutations import HOSTILE_TEXTS

SMALL = "--m 4 --n 8 --group-size-m 2 --device interpreter"
WITH_PROBLEM = "run sweep trace experiment touch record compile"
VALUES = """
0 -1 4 8 1e3 1:9:4 8,16 1:9:x2 float16 fp32 locked auto nan None
interpreter interpreter:sm_90 interpreter:sm_1 cuda:99 barrier order locked,atomic
/dev/full /dev/null /nowhere/there/file.csv out.csv out.html out.lnrec 99999999999999999999
mine.py mine.py:layer_norm,torch num_warps=4,8 list show 1 versions
"""
OPTIONS = """
--m --n --dtype --strategy --group-size-m --block-size --num-warps --seed --repeats --json
--csv --save --resume --recorded --device --provider --timeout --last --data --row -q
--json=1 --title --help --screenshot --chrome --search --setting --kernel --diff --note
--fail-if-slower --tutorial-output --effort --timing --mode --waits --architecture
"""


def random_words(rng: random.Random) -> list[str]:
    commands = (*COMMANDS, "nonsense")
    recording = str(RECORDINGS / "h200_lecture.lnrec")
    values = (*VALUES.split(), "", " ", "x" * 300, recording, *HOSTILE_TEXTS[:12])
    words = [rng.choice(commands)] if rng.random() < 0.95 else []
    if rng.random() < 0.7 and words and words[0] in WITH_PROBLEM.split():
        words += SMALL.split()
    for _ in range(rng.randrange(5)):
        words.append(rng.choice(OPTIONS.split()))
        if rng.random() < 0.8:
            words.append(rng.choice(values))
    # A word of a command line cannot hold a null, and a window that stays open is no command.
    words = [word for word in words if "\0" not in word]
    if not words or words[0].startswith("-"):
        words = [*words, "--help"]
    return words
