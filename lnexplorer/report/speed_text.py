"""A speed in a report: by the bytes that Triton's tutorial counts, and beside it by all that the kernels move."""

from lnexplorer.domain import wording
from lnkernels.values.figures import Figure

BYTES_HELP = "GB/s are of the bytes that Triton's tutorial counts; in brackets of all bytes that the kernels move."


def speed_text(figure: Figure | None) -> str:
    """Both as HTML; a dash where there is no speed."""
    if figure is None:
        return wording.ABSENT
    return f'{wording.gbps(figure.gbps)} <span class="muted">({wording.gbps(figure.counted_gbps)})</span>'
