"""Script of a frame of the page that plays a recording, in a browser without a window, in ms.

It counts the time that the browser's processor spends, so a machine that has other work to do
measures the same.

python -m tests.benchmarks.page_times [RECORDING.lnrec]
"""

import sys
import tempfile
from pathlib import Path

from lnexplorer.cli.commands import run_command
from lnexplorer.store.resources import resource
from tests.browser import Browser

FRAMES = 200
# What is done before a frame is drawn, of a replay and the share of the frames that are past.
PARTS = {
    "playing": "replay.time = share * replay.last",
    "playing, a row followed": "replay.row = 100; replay.time = share * replay.last",
    "playing, a lock followed": (
        "replay.row = null; replay.lock = 1; replay.time = share * replay.last"
    ),
    "scrubbing": "replay.lock = null; replay.seek((share * 7 % 1) * replay.last)",
    "zooming": "replay.end = replay.last * (1 - 0.9 * share); replay.bottom = 1 - 0.99 * share",
    "zoomed, moving": (
        "replay.show(share * 0.7 * replay.last, 0.3 * replay.last, 0.9 * share, 0.1)"
    ),
    "zoomed in on rows": (
        "replay.show(share * 0.9 * replay.last, 0.1 * replay.last, 0.9 * share, 0.01)"
    ),
    "grouped otherwise": "replay.group(['lock', 'sm', 'start'][Math.floor(share * 200) % 3])",
}
# Made once for each part: what a browser takes to read it is not the page's.
FRAME = """globalThis.frame = share => new Promise(done => requestAnimationFrame(() => {{
    const replay = lnexplorer.replays[0];
    replay.waiting = true; // so that it is painted once
    {prepare};
    replay.paint();
    replay.waiting = false;
    done();
}}))"""


def main() -> None:
    """Print the median, what 95 % of the frames stay below, and the longest."""
    default = resource("recordings/h200_4096x1024_g128.lnrec")
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        run_command(["export", str(page), "--from", str(source)])
        browser = Browser(Path(folder) / "browser")
        try:
            browser.size(1920, 1080)
            browser.call("Performance.enable", timeDomain="threadTicks")
            browser.open(page)
            for name, prepare in PARTS.items():
                times = sorted(frame_times(browser, prepare))
                median, most, longest = (
                    times[int(share * (FRAMES - 1))] for share in (0.5, 0.95, 1.0)
                )
                print(
                    f"{name}: median {median:.1f}, 95 % below {most:.1f}, longest {longest:.1f} ms"
                )
        finally:
            browser.close()


def frame_times(browser: Browser, prepare: str) -> list[float]:
    """Return how long the script of each frame took, in ms."""
    times = []
    browser.run(f"({FRAME.format(prepare=prepare)}, 0)")
    before = script_ms(browser)
    for frame in range(FRAMES):
        browser.run(f"frame({frame / FRAMES})")
        now = script_ms(browser)
        times.append(now - before)
        before = now
    return times


def script_ms(browser: Browser) -> float:
    metrics = browser.call("Performance.getMetrics")["metrics"]
    return next(1e3 * each["value"] for each in metrics if each["name"] == "ScriptDuration")


if __name__ == "__main__":
    main()
