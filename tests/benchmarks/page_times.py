"""Script of a frame of the page that plays a recording, in a browser without a window, in ms.

python -m tests.benchmarks.page_times [RECORDING.lnrec]
"""

import sys
import tempfile
from pathlib import Path

from lnexplorer.cli import export
from lnexplorer.store.resources import resource
from tests.browser import Browser

MEASURE = """(async parts => {
    const replay = lnexplorer.replays[0], found = {};
    for (const [name, prepare] of Object.entries(parts)) {
        const times = [];
        for (let frame = 0; frame < 300; frame++) {
            await new Promise(requestAnimationFrame);
            prepare(replay, frame / 300);
            const before = performance.now();
            replay.paint();
            times.push(performance.now() - before);
        }
        times.sort((one, other) => one - other);
        found[name] = [times[150], times[285], times[299]].map(time => time.toFixed(1));
    }
    return found;
})({
    playing: (replay, share) => { replay.time = share * replay.timeline.end; },
    "playing, a row followed": (replay, share) => {
        replay.row = 100; replay.time = share * replay.timeline.end; },
    "playing, a lock followed": (replay, share) => {
        replay.row = null; replay.lock = 1; replay.time = share * replay.timeline.end; },
    "zooming": (replay, share) => {
        replay.lock = null; replay.end = replay.timeline.end * (1 - 0.9 * share);
        replay.bottom = 1 - 0.99 * share; },
})"""


def main() -> None:
    """Print the median, what 95 % of the frames stay below, and the longest."""
    default = resource("recordings/h200_4096x1024_g128.lnrec")
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        export.main([str(page), "--from", str(source)])
        browser = Browser(Path(folder) / "browser")
        try:
            browser.size(1920, 1080)
            browser.open(page)
            for name, times in browser.run(MEASURE).items():
                print(f"{name}: median {times[0]}, 95 % below {times[1]}, longest {times[2]} ms")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
