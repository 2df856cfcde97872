"""Numbers as text, rounded to what is known of them: errors to two digits, speeds and times to
three.
"""

import math
from collections.abc import Iterable, Mapping

from lnexplorer.domain.parameters import BY_NAME
from lnkernels.launch import LAUNCHED, NORMS, Launch
from lnkernels.values import Sentence, Words, as_sentence, join_sentences, say, verbatim
from lnkernels.values.environment import KIND_NAMES, Environment, Kind

ABSENT = "–"
# How a pass is called and timed, by MODES of lnexplorer.domain.measuring.
WAYS = {
    "kernel_cold": say("kernels alone, cold L2"),
    "kernel_warm": say("kernels alone, warm L2"),
    "autograd": say("through autograd, cold L2"),
}
KERNELS = {
    "forward": say("forward"),
    "backward_stage1": say("stage 1"),
    "backward_stage2": say("stage 2"),
}
PROVIDER_LABELS = {
    "torch": "PyTorch",
    "liger": "Liger",
    "liger-cute": "Liger (CuTe)",
    "apex": "Apex",
    "flash-attn": "FlashAttention",
    "cudnn": "cuDNN",
}


def provider_label(provider: str) -> str:
    return PROVIDER_LABELS.get(provider, provider)


def with_verdict(text: Words, verdict: str | None) -> Sentence:
    """Mark a provider, or its speed, by a verdict that is not right."""
    if verdict == "inexact":
        return say("{text} (inexact)", text=text)
    if verdict == "no kernel":
        return say("{text} (no kernel)", text=text)
    return say("{text} (WRONG)", text=text) if verdict == "wrong" else as_sentence(text)


def source_line(kind: Kind, environment: Environment) -> Sentence:
    """Say where figures come from: their kind, the device, and what ran on it."""
    versions = f"torch {environment.torch} · triton {environment.triton}"
    driver = say("driver {version}", version=environment.driver or "")
    said = (KIND_NAMES[kind], environment.where, versions)
    return join_sentences((*said, driver) if environment.driver else said, " · ")


def significant(value: float, digits: int) -> str:
    """Decimal notation with so many significant digits, trailing zeros of whole numbers kept: 1689
    → 1690.
    """
    if not math.isfinite(value):
        return _not_finite(value)
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, digits - 1 - magnitude)
    # Rounding may have carried into the next decade: 9.996 → 10.0.
    magnitude = math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(digits - 1 - magnitude, 0)}f}"


def error(value: float | None) -> str:
    """An error to two significant digits; small and large ones as 2.1e-6."""
    if value is None:
        return ABSENT
    if not math.isfinite(value):
        return _not_finite(value)
    if value == 0 or 0.1 <= abs(value) < 100:
        return significant(value, 2)
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def ulp(value: float) -> str:
    """An error in units in the last place: whole above ten, two digits below."""
    if not math.isfinite(value):
        return _not_finite(value)
    if abs(value) >= 1e6:
        return error(value)
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}"


def figure(value: float | None) -> str:
    """A number without a unit, such as GB/s: three significant digits."""
    return ABSENT if value is None else significant(value, 3)


def percent(value: float | None) -> str:
    """A fraction in per cent, two significant digits."""
    return ABSENT if value is None else f"{significant(100 * value, 2)} %"


def share(value: float | None) -> str:
    """A fraction as whole per cent; what would be 0 % and is not, as < 1 %."""
    if value is None:
        return ABSENT
    if 0 < value < 0.005:
        return "< 1 %"
    return f"{100 * value:.0f} %" if math.isfinite(value) else _not_finite(value)


def signed_percent(value: float) -> str:
    """A difference in per cent, with its sign and one decimal."""
    return f"{100 * value:+.1f} %".replace("-", "−")


def ratio(value: float | None) -> str:
    """A factor, as 1.18×."""
    return ABSENT if value is None else f"{significant(value, 3)}×"


def milliseconds(value: float) -> str:
    """A duration given in ms, in the unit that suits it."""
    if not math.isfinite(value):
        return _not_finite(value)
    for unit, size in (("s", 1e3), ("ms", 1.0), ("µs", 1e-3)):
        if abs(value) >= 0.9995 * size:
            return f"{significant(value / size, 3)} {unit}"
    return f"{value * 1e6:.0f} ns"


def nanoseconds(value: float) -> str:
    """A duration given in ns, in the unit that suits it."""
    return milliseconds(value / 1e6)


def microseconds(value: float | None) -> str:
    """A duration given in µs, in the unit that suits it."""
    return ABSENT if value is None else milliseconds(value / 1e3)


def element(value: float) -> str:
    """A single value, with digits enough to tell those of half precision apart."""
    return f"{value:.7g}"


def duration(seconds: float) -> Sentence:
    """A time that somebody waits: 40 s, 12 min, 3 h 20 min."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return say("{seconds} s", seconds=max(round(seconds), 1))
    if minutes < 90:
        return say("{minutes} min", minutes=minutes)
    return say("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)


def bytes_text(size: int) -> str:
    """A size in memory, three digits."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= scale:
            return f"{significant(size / scale, 3)} {unit}"
    return f"{size} B"


def shape(m: int, n: int, dtype: str, norm: str = "layer_norm") -> str:
    """The problem in few letters: 4096×8192 float16, after the name of a norm but LayerNorm."""
    name = "" if norm == "layer_norm" else f"{NORMS[norm]} "
    return f"{name}{m}×{n} {dtype}"


def setting_label(name: str) -> Sentence:
    """The label of a parameter; of a setting of stage 2 with its stage, as others have the same
    names. A setting of a kernel of one's own has its own name.
    """
    if name not in BY_NAME:
        return verbatim(name)
    label = BY_NAME[name].label
    return say("{setting} (stage 2)", setting=label) if BY_NAME[name].group == "stage2" else label


def setting_value(value: object) -> Sentence:
    if isinstance(value, bool):
        return say("on") if value else say("off")
    return verbatim(ABSENT if value is None else str(value))


def setting_text(
    launch: Launch, given: Iterable[str] = (), equals: str = " = ", between: str = ", "
) -> Sentence:
    """The setting that says most about how a strategy shares the sums of dw and db, and those that
    somebody chose: GROUP_SIZE_M = 64, barrier = off.
    """
    main = LAUNCHED[launch.strategy].main_setting(launch)
    values = {name: getattr(launch, name) for name in (main, *given)}
    return join_sentences(setting_words(values, equals), between)


def setting_words(values: Mapping[str, object], equals: str = " = ") -> list[Sentence]:
    """Settings under their labels: GROUP_SIZE_M = 64."""
    parts = ((setting_label(name), setting_value(value)) for name, value in values.items())
    return [join_sentences(each, equals) for each in parts]


def sweep_over_n(m: int, dtype: str, norm: str = "layer_norm") -> Sentence:
    """The problem of several N: M = 4096, float16, after the name of a norm but LayerNorm."""
    return join_sentences(["" if norm == "layer_norm" else NORMS[norm], f"M = {m}", dtype], ", ")


def counted(count: int, one: str, more: str = "") -> str:
    """How many there are of something, in English: 1 row, 2 rows; `more` where an s alone does not
    make the plural.
    """
    return f"{count} {one}" if count == 1 else f"{count} {more or f'{one}s'}"


def span(start: int, stop: int) -> str:
    """Indices from start to before stop: one number where it is one index."""
    return f"{start}" if stop - start <= 1 else f"{start}–{stop - 1}"


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "∞" if value > 0 else "−∞"
