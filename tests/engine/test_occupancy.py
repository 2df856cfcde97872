"""Programs per SM, by a compiler that needs no GPU."""

import dataclasses

from lnexplorer.domain.residents import sample_run
from lnexplorer.engine.supervisor import occupancy_in, stage1_occupancy
from lnexplorer.protocol.messages import Broken, Finished, Refused, Stopped
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim
from tests.domain.timelines import request
from tests.store.examples import small_result


def test_a_worker_without_a_gpu_compiles_the_kernel_of_a_launch_and_tells_its_occupancy():
    per_sm = stage1_occupancy(sample_run(request(m=4096, n=256), 3), "sm_90")
    assert isinstance(per_sm, int), per_sm
    assert 1 <= per_sm <= 32


def test_whatever_else_comes_of_it_is_a_sentence():
    ends = (
        Broken("compile", verbatim("The worker could not be started."), ""),
        Refused((Problem("n", "0", verbatim("take an integer")),)),
        Stopped(),
    )
    assert [str(occupancy_in(end)) for end in ends] == [
        "The worker could not be started.",
        "n = 0 is not possible: take an integer",
        "The compiler was stopped.",
    ]


def test_a_compiler_that_fails_is_quoted():
    result = dataclasses.replace(
        small_result(), compiled=(), notes=(verbatim("What the compiler makes of it is not known: no ptxas"),)
    )
    assert str(occupancy_in(Finished(result))) == "What the compiler makes of it is not known: no ptxas"
