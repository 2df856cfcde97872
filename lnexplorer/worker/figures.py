"""A measured speed in the domain's values."""

from lnexplorer.domain.result import Figure
from lnkernels.timing import figures


def figure_of(figure: figures.Figure) -> Figure:
    """The domain's view of a figure."""
    return Figure(
        provider=figure.subject.provider,
        direction=figure.subject.direction,
        mode=figure.subject.mode,
        samples_ms=figure.timing.samples_ms,
        p20_ms=figure.timing.p20_ms,
        p50_ms=figure.timing.p50_ms,
        p80_ms=figure.timing.p80_ms,
        gbps=figure.gbps.p50,
        counted_gbps=figure.counted_gbps,
        share_of_ceiling=figure.share_of_ceiling,
        host_us=figure.host_us,
        settled=figure.timing.settled,
    )
