from lnexplorer.domain.peers import MOST_PEERS, beside, check_peers, in_order, kernels_of_peer
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource


def test_ceilings_empty_names_and_too_many_are_refused_by_name() -> None:
    ceiling, empty = check_peers(("copy", " "))
    assert (ceiling.field, ceiling.value) == ("provider", "copy")
    assert empty.value.strip() in ("", "nothing")
    (many,) = check_peers(f"lab{number}" for number in range(MOST_PEERS + 1))
    assert str(MOST_PEERS) in str(many.allowed)


def test_a_strategy_is_no_peer_of_itself() -> None:
    assert beside(("torch", "locked", "torch", "auto"), "locked", "auto") == ("torch",)


def test_the_usual_come_first_and_others_by_name() -> None:
    assert in_order({"zeta", "persistent", "alpha", "liger", "torch"}) == (
        "torch",
        "liger",
        "persistent",
        "alpha",
        "zeta",
    )


def test_a_peers_kernels_are_found_by_its_name_or_refused_in_a_sentence() -> None:
    for norm, function in (
        ("layer_norm", "LigerLayerNormFunction"),
        ("rms_norm", "LigerRMSNormFunction"),
    ):
        found = kernels_of_peer("liger", norm)
        assert isinstance(found, KernelSource)
        assert (found.name, found.function) == ("liger", function)
    for name, norm in (("torch", "layer_norm"), ("quack", "layer_norm"), ("liger", "add_rms_norm")):
        refused = kernels_of_peer(name, norm)
        assert isinstance(refused, Problem)
        assert (refused.field, refused.value) == ("kernel", name)
