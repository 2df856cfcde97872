"""Every parameter of a run, declared once: the form, the command line, its help texts and the validation follow from here."""

from dataclasses import dataclass

from lnkernels.launch import DTYPES, STRATEGIES

AUTOMATIC = "automatic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter: the field of RunRequest that holds it, and how people meet it."""

    name: str  # field of RunRequest
    label: str  # as the field and the tutorial write it
    group: str  # one of GROUPS
    type: type[int] | type[float] | type[str] | type[bool]
    help: str
    automatic: bool = False  # None lets the heuristics decide
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    power_of_two: bool = False
    unit: str = ""

    @property
    def option(self) -> str:
        """Name on the command line."""
        return "--" + self.name.replace("_", "-")

    def accepts(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            allowed = "one of " + ", ".join(self.choices)
        elif self.type is bool:
            allowed = "on or off"
        elif self.power_of_two:
            allowed = f"a power of two from {self.minimum} to {self.maximum}"
        elif self.minimum is not None and self.maximum is not None:
            allowed = f"a whole number from {self.minimum} to {self.maximum}"
        elif self.minimum is not None:
            allowed = f"a whole number, at least {self.minimum}"
        else:
            allowed = "a number"
        return f"{allowed}, or {AUTOMATIC}" if self.automatic else allowed


GROUPS = {
    "problem": "Problem",
    "forward": "Forward and stage 1",
    "reduction": "Partial sums",
    "stage2": "Stage 2",
    "data": "Data",
}

# Names of the distributions are those of lnkernels.inputs; a test of the worker holds the two together.
DATA_CHOICES = ("tutorial", "normal", "offset", "constant", "spike", "nan", "inf")

PARAMETERS = (
    Parameter(
        name="m",
        label="M",
        group="problem",
        type=int,
        automatic=True,
        minimum=1,
        maximum=1 << 24,
        unit="rows",
        help="Number of rows of x. With strategy locked, forward and stage 1 of the backward pass run one program per row.",
    ),
    Parameter(
        name="n",
        label="N",
        group="problem",
        type=int,
        automatic=True,
        minimum=1,
        maximum=1 << 20,
        unit="columns",
        help="Number of columns of x: the length of each normalized row, and of the weight, the bias, dw and db.",
    ),
    Parameter(
        name="dtype",
        label="dtype",
        group="problem",
        type=str,
        choices=DTYPES,
        help="Element type of x, y and their gradients. Sums inside a program are always float32.",
    ),
    Parameter(
        name="eps",
        label="eps",
        group="problem",
        type=float,
        help="Added to the variance of a row before the square root is taken.",
    ),
    Parameter(
        name="strategy",
        label="strategy",
        group="problem",
        type=str,
        choices=STRATEGIES,
        help="How the rows' contributions to dw and db are summed; each has settings of its own. auto takes the fastest known.",
    ),
    Parameter(
        name="block_size",
        label="BLOCK_SIZE",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=65536,
        power_of_two=True,
        unit="columns",
        help="Columns that a program of the forward pass takes per step of its walk along a row.",
    ),
    Parameter(
        name="block_size_n",
        label="BLOCK_SIZE_N",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=65536,
        power_of_two=True,
        unit="columns",
        help="Columns that a program of stage 1 holds: its row, or with split its share of the row. With persistent it may "
        "hold the row in several such blocks.",
    ),
    Parameter(
        name="num_warps",
        label="num_warps",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=32,
        power_of_two=True,
        unit="warps",
        help="Warps of 32 threads that share one program of stage 1, and with locked one of the forward pass.",
    ),
    Parameter(
        name="num_stages",
        label="num_stages",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=8,
        help="Steps of a loop that the compiler may overlap: later loads start while earlier values are used.",
    ),
    Parameter(
        name="rows",
        label="ROWS",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=64,
        power_of_two=True,
        unit="rows",
        help="Rows that a program of stage 1 takes at once. Together they have as many elements as its warps can hold.",
    ),
    Parameter(
        name="programs_per_sm",
        label="programs / SM",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=16,
        help="Programs of stage 1 on each SM: more of them hide more of the waiting, and leave more partial sums to stage 2.",
    ),
    Parameter(
        name="sums_per_row",
        label="sums per row",
        group="forward",
        type=bool,
        automatic=True,
        help="Keep the sums of dw and db apart for each row of a tile until the end, instead of adding them up tile by tile.",
    ),
    Parameter(
        name="slices",
        label="SLICES",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=4096,
        unit="programs",
        help="Programs of stage 1 that share a row. Each holds its slice of the columns, and they exchange the row's sums.",
    ),
    Parameter(
        name="forward_rows",
        label="forward ROWS",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=64,
        power_of_two=True,
        unit="rows",
        help="Rows that a program of the forward pass takes at once. More than one needs a BLOCK_SIZE that covers N.",
    ),
    Parameter(
        name="forward_num_warps",
        label="forward warps",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=32,
        power_of_two=True,
        unit="warps",
        help="Warps of 32 threads that share one program of the forward pass.",
    ),
    Parameter(
        name="forward_held",
        label="forward held",
        group="forward",
        type=bool,
        automatic=True,
        help="Where BLOCK_SIZE is less than N: keep the whole row in registers, block by block, so that x is read only once.",
    ),
    Parameter(
        name="forward_grid_per_sm",
        label="forward / SM",
        group="forward",
        type=int,
        automatic=True,
        minimum=0,
        maximum=32,
        help="Programs of the forward pass on each SM, which take tile after tile of rows. 0: one program for each tile.",
    ),
    Parameter(
        name="forward_num_stages",
        label="forward stages",
        group="forward",
        type=int,
        automatic=True,
        minimum=1,
        maximum=8,
        help="Tiles in flight in a program of the forward pass that takes several; with one program for each tile it is 1.",
    ),
    Parameter(
        name="group_size_m",
        label="GROUP_SIZE_M",
        group="reduction",
        type=int,
        automatic=True,
        minimum=1,
        maximum=65536,
        unit="buffers",
        help="Number of partial sum buffers. Row r adds to buffer r mod GROUP_SIZE_M: fewer buffers, more waiting for locks.",
    ),
    Parameter(
        name="partial_dtype",
        label="partial sums",
        group="reduction",
        type=str,
        automatic=True,
        choices=("float32", "same"),
        help="Element type of the partial sum buffers. The tutorial uses the type of x, which rounds at every addition.",
    ),
    Parameter(
        name="barrier",
        label="barrier",
        group="reduction",
        type=bool,
        automatic=True,
        help="Wait for the stores of all threads before the lock is released. Without it sums can be wrong, now and then.",
    ),
    Parameter(
        name="reduce_block_size_m",
        label="BLOCK_SIZE_M",
        group="stage2",
        type=int,
        automatic=True,
        minimum=1,
        maximum=65536,
        power_of_two=True,
        unit="partial sums",
        help="Partial sums, or buffers of them, that a program of stage 2 adds per step.",
    ),
    Parameter(
        name="reduce_block_size_n",
        label="BLOCK_SIZE_N",
        group="stage2",
        type=int,
        automatic=True,
        minimum=1,
        maximum=65536,
        power_of_two=True,
        unit="columns",
        help="Columns of dw and db that a program of stage 2 sums.",
    ),
    Parameter(
        name="reduce_num_warps",
        label="num_warps",
        group="stage2",
        type=int,
        automatic=True,
        minimum=1,
        maximum=32,
        power_of_two=True,
        unit="warps",
        help="Warps of 32 threads that share one program of stage 2.",
    ),
    Parameter(
        name="data",
        label="data",
        group="data",
        type=str,
        choices=DATA_CHOICES,
        help="What x, the weight, the bias and dy are filled with; tutorial is the distribution of the tutorial's check.",
    ),
    Parameter(
        name="seed",
        label="seed",
        group="data",
        type=int,
        minimum=0,
        maximum=(1 << 31) - 1,
        help="Start of the random numbers: the same seed gives the same data.",
    ),
    Parameter(
        name="repeats",
        label="repeats",
        group="data",
        type=int,
        minimum=1,
        maximum=1000,
        unit="runs",
        help="How often the backward pass is run and checked. The order of locks differs each time; the worst result counts.",
    ),
)

BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
LAUNCH_NAMES = (
    "strategy",
    "block_size",
    "block_size_n",
    "group_size_m",
    "reduce_block_size_m",
    "reduce_block_size_n",
    "num_warps",
    "reduce_num_warps",
    "num_stages",
    "partial_dtype",
    "barrier",
    "rows",
    "programs_per_sm",
    "forward_rows",
    "forward_num_warps",
    "forward_held",
    "forward_num_stages",
    "forward_grid_per_sm",
    "sums_per_row",
    "slices",
)
