import json
from dataclasses import replace
from typing import Any

from lnexplorer.domain.history import history_row
from lnexplorer.domain.request import RunRequest
from lnexplorer.report.documents import run_document
from lnexplorer.report.script import python_script
from lnkernels.values.environment import DeviceState, Kind
from tests.store.examples import small_result


def document(kind: Kind = Kind.MEASURED) -> Any:
    return json.loads(json.dumps(run_document(small_result(kind)), allow_nan=False))


def test_the_document_has_the_promised_keys() -> None:
    run = document()
    assert set(run) == {
        "schema_version",
        "request",
        "resolved",
        "provenance",
        "passed",
        "correctness",
        "own_correctness",
        "compiled",
        "throughput",
        "device_state",
        "refusals",
        "wrong_providers",
        "verdicts",
        "counters",
        "notes",
    }
    assert run["schema_version"] == 1
    assert set(run["request"]) == set(RunRequest().flat()) | {"providers"}
    assert run["request"]["providers"] == ["torch"]
    assert run["resolved"]["launch"]["group_size_m"] == 2
    assert set(run["provenance"]) == {"kind", "environment"}
    assert run["provenance"]["kind"] == "measured"
    assert {"date", "python", "torch", "triton", "gpu", "driver", "sm_clock_mhz"} <= set(
        run["provenance"]["environment"]
    )


def test_no_error_of_0_stands_for_results_that_are_all_nan() -> None:
    result = small_result()
    first, *others = result.correctness.checks
    lost = replace(first, kernel_vs_truth=replace(first.kernel_vs_truth, max_abs=0.0, misplaced=32))
    checked = replace(result.correctness, checks=(lost, *others))
    result = replace(result, correctness=checked)
    assert run_document(result)["correctness"]["y"]["max_abs_error"] is None
    assert lost.errors.max_abs is None
    assert history_row(1, "", result).y_error is None
    assert "y: largest absolute error –" in python_script(result)


def test_the_state_of_the_device_stands_before_and_after_where_it_is_known() -> None:
    result = small_result(Kind.MEASURED)
    assert document()["device_state"] is None, "earlier versions kept it once"
    assert result.throughput is not None
    states = (
        DeviceState(sm_clock_mhz=1980, temperature_c=41),
        DeviceState(sm_clock_mhz=1500, throttle_reasons=("power cap",)),
    )
    found = run_document(
        replace(result, throughput=replace(result.throughput, before=states[0], after=states[1]))
    )
    assert found["device_state"]["before"]["temperature_c"] == 41
    assert found["device_state"]["after"]["sm_clock_mhz"] == 1500
    assert found["device_state"]["after"]["throttle_reasons"] == ["power cap"]
    assert run_document(small_result(Kind.INTERPRETED))["device_state"] is None
