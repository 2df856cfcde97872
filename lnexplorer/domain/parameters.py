"""Every parameter of a run: the form, the command line, its help texts and the validation follow
from here.

Those of the problem and its data are declared here, launch settings in `lnkernels.launch.settings`.
"""

from lnkernels.launch import AUTOMATIC, DTYPES, NORMS, SETTINGS, STRATEGIES, Parameter
from lnkernels.values import Words, say

__all__ = [
    "AUTOMATIC",
    "BY_NAME",
    "DATA_CHOICES",
    "GROUPS",
    "LAUNCH_NAMES",
    "PARAMETERS",
    "Parameter",
    "label_of",
    "owner_of",
]

GROUPS = {
    "problem": say("Problem"),
    "forward": say("Forward and stage 1"),
    "reduction": say("Partial sums"),
    "stage2": say("Stage 2"),
    "data": say("Data"),
}

# Names of the distributions are those of lnkernels.check.inputs; a test of the worker holds the two
# together.
DATA_CHOICES = ("tutorial", "normal", "offset", "constant", "spike", "nan", "inf")

PARAMETERS = (
    Parameter(
        name="m",
        label=say("M"),
        group="problem",
        type=int,
        automatic=True,
        minimum=1,
        maximum=1 << 24,
        unit="rows",
        help=say(
            "Number of rows of x. With strategy locked, forward and stage 1 of the backward pass"
            " run one program per row."
        ),
    ),
    Parameter(
        name="n",
        label=say("N"),
        group="problem",
        type=int,
        automatic=True,
        minimum=1,
        maximum=1 << 20,
        unit="columns",
        help=say(
            "Number of columns of x: the length of each normalized row, and of the weight, the"
            " bias, dw and db."
        ),
    ),
    Parameter(
        name="dtype",
        label=say("dtype"),
        group="problem",
        type=str,
        choices=DTYPES,
        help=say(
            "Element type of x, y and their gradients. Sums inside a program are always float32."
        ),
    ),
    Parameter(
        name="norm",
        label=say("norm"),
        group="problem",
        type=str,
        choices=tuple(NORMS),
        help=say(
            "What is computed: layer_norm subtracts each row's mean and adds a bias, rms_norm does"
            " neither, so that it has no db. With add_ it is the norm of x + residual, and that sum"
            " is a result, too."
        ),
    ),
    Parameter(
        name="eps",
        label=say("eps"),
        group="data",
        type=float,
        minimum=0,
        help=say(
            "Added to the variance of a row, of RMSNorm to its mean square, before the square root"
            " is taken."
        ),
    ),
    Parameter(
        name="strategy",
        label=say("strategy"),
        group="problem",
        type=str,
        choices=STRATEGIES,
        help=say(
            "How the rows' contributions to dw and db are summed; each has settings of its own."
            " auto takes the fastest known."
        ),
    ),
    *SETTINGS,
    Parameter(
        name="data",
        label=say("data"),
        group="data",
        type=str,
        choices=DATA_CHOICES,
        help=say(
            "What x, the weight, the bias and dy are filled with; tutorial is the distribution of"
            " the tutorial's check."
        ),
    ),
    Parameter(
        name="seed",
        label=say("seed"),
        group="data",
        type=int,
        minimum=0,
        maximum=(1 << 31) - 1,
        help=say("Start of the random numbers: the same seed gives the same data."),
    ),
    Parameter(
        name="repeats",
        label=say("repeats"),
        group="data",
        type=int,
        minimum=1,
        maximum=1000,
        unit="runs",
        help=say(
            "How often the backward pass is run and checked. The order of locks differs each time;"
            " the worst result counts."
        ),
    ),
)

BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
LAUNCH_NAMES = ("strategy", *(setting.name for setting in SETTINGS))


def owner_of(name: str) -> str:
    """The kernel of one's own whose setting this is, such as `my_norm.num_warps`; empty for a
    parameter of a run.
    """
    return name.rpartition(".")[0]


def label_of(name: str) -> Words:
    """Return the label of a parameter, or the name of a user kernel's setting."""
    return BY_NAME[name].label if name in BY_NAME else name
