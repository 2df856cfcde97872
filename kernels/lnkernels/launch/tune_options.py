"""What tuning can be asked, once for `python -m lnkernels.tune` and for the command line of the explorer."""

import argparse
from collections.abc import Callable

from lnkernels.launch.settings_table import MANY_ROWS
from lnkernels.launch.shapes import DTYPES
from lnkernels.launch.tuned import KINDS

# Powers of two, and what models have between them.
WIDTHS = (
    *(256, 512, 768, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192),
    *(10240, 12288, 16384, 20480, 32768, 65536),
)
ROWS, ROWS_OF_TABLE = (4096,), (4096, 32768)
DTYPES_USUAL, DTYPES_OF_TABLE = ("float16",), ("float16", "float32")
MINUTES = 30.0
LAST_GPU = 127
LARGEST_N, LARGEST_M = 1 << 20, 1 << 24


def add_tune_options(parser: argparse.ArgumentParser) -> None:
    """Widths, rows, element types, kinds, time and device. What is None afterwards `fill_in` decides."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--n", type=_number(LARGEST_N), nargs="+", metavar="N", help=f"widths of x; {_listed(WIDTHS)}")
    where.add_argument(
        "--table",
        action="store_true",
        help="measure at the widths of the built-in table, and print the table anew as Python; nothing is kept or used",
    )
    parser.add_argument(
        "--m",
        type=_number(LARGEST_M),
        nargs="+",
        metavar="M",
        help=f"numbers of rows; settings with the least product of times over all of them win, in the forward pass over those "
        f"below {MANY_ROWS} and over the others apart; {_listed(ROWS)}, for the table {_listed(ROWS_OF_TABLE)}",
    )
    parser.add_argument(
        "--dtype",
        nargs="+",
        choices=DTYPES,
        help=f"element types; what is found for one of two bytes holds for the other; {_listed(DTYPES_USUAL)}, for the table "
        f"{_listed(DTYPES_OF_TABLE)}",
    )
    parser.add_argument(
        "--kind",
        nargs="+",
        choices=tuple(KINDS),
        default=list(KINDS),
        help="rows: backward of strategy persistent; split: that of strategy split; forward: the forward pass of both; "
        "all three, unless given",
    )
    parser.add_argument(
        "--minutes",
        type=_minutes,
        metavar="MINUTES",
        help=f"try no further candidate after this time, of which every width has an equal share; {MINUTES:g}, "
        f"no limit for the table",
    )
    parser.add_argument("--device", type=_device, default="cuda:0", metavar="cuda:N", help="the GPU; cuda:0")


def fill_in(chosen: argparse.Namespace) -> None:
    """Decide what was left open: for the table, or for what people use."""
    of_table: bool = chosen.table
    # What is named twice is measured once.
    chosen.n = list(dict.fromkeys(chosen.n or WIDTHS))
    chosen.m = list(dict.fromkeys(chosen.m or (ROWS_OF_TABLE if of_table else ROWS)))
    chosen.dtype = list(dict.fromkeys(chosen.dtype or (DTYPES_OF_TABLE if of_table else DTYPES_USUAL)))
    chosen.kind = list(dict.fromkeys(chosen.kind))
    if chosen.minutes is None and not of_table:
        chosen.minutes = MINUTES


def _listed(values: tuple[object, ...]) -> str:
    return " ".join(map(str, values))


def _number(largest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= largest:
            raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number from 1 to {largest}")
        return int(text)

    return read


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a number of minutes above 0 and below 1000000")
    return value


def _device(text: str) -> str:
    name, _, number = text.partition(":")
    number = number or "0"
    # torch keeps the number in 8 bits, and takes cuda:128 for cuda:-128.
    if name != "cuda" or not number.isascii() or not number.isdecimal() or len(number) > 3 or int(number) > LAST_GPU:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take cuda:0, cuda:1 and so on, at most cuda:{LAST_GPU}")
    return f"cuda:{int(number)}"
