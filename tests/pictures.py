"""Pictures of every workspace and of every step of the lecture, and where a text is cut or covered
in them.

    python -m tests.pictures --out DIR
    python -m tests.pictures --film resources/pictures/reduction.gif

Each combination of size, language, theme and size of text gives a picture of each view, and a
contact sheet of all of them. Without a GPU; it takes some minutes, and is no part of the test
suite, which asks `faults` alone. The second makes the README's moving picture.
"""

import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from lnexplorer.domain.lecture.scenes import LONG
from lnexplorer.domain.views import TouchView
from lnexplorer.gui.kit.widgets import ElidedLabel
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.film import FilmRequest, make_film
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.gui.window.start import Start, WindowOptions
from lnexplorer.gui.window.tour import Tour
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnexplorer.lecture.lecture import Lecture
from lnexplorer.lecture.loading import lecture_steps
from lnexplorer.lecture.window import LectureWindow
from lnexplorer.protocol.messages import WorkerLost
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import Settings
from lnkernels.values.sentence import say
from tests.gui.completeness import is_complete
from tests.programs import described

SIZES = ((1280, 720), (1600, 1000), (1920, 1080))
LANGUAGES, THEMES, TEXTS = ("en", "zh_CN"), ("dark", "light"), (100, 160)
LONG_MS, FIRST_MS, REST_MS = 60_000, 4_000, 500
RECORDED = "recordings/h200_4096x1024_g16.lnrec"
FILMED = "recordings/h200_64x64_g4_float32_buffers.lnrec"
THUMB_WIDTH, ACROSS = 480, 4
LEAST_LINES = 3  # of a list, a table or a page that scrolls
LEAST_CHART = 5  # of a chart, its axis included
LEAST_ELIDED = 6  # characters of a line that gives way


def wait(application: QApplication, until: Callable[[], bool], most_ms: int = LONG_MS) -> None:
    clock = QElapsedTimer()
    clock.start()
    while not until():
        if clock.elapsed() > most_ms:
            raise TimeoutError
        application.processEvents()


def rest(application: QApplication, milliseconds: int = REST_MS) -> None:
    clock = QElapsedTimer()
    clock.start()
    wait(application, lambda: clock.elapsed() >= milliseconds)


def faults(window: QWidget) -> list[str]:
    """What has too little room in a window: texts that are cut, parts that cover each other, lists
    of hardly a line.

    By the boxes of the widgets and what they ask for. What is below a scroll area can be scrolled
    to, and is no fault; what is beside it is.
    """
    found = []
    for widget in [window, *window.findChildren(QWidget)]:
        if widget.isVisible() and isinstance(widget, QGraphicsView):
            line = widget.fontMetrics().height()
            found += (
                [f"{_name(widget)}: {widget.height()} px high"]
                if widget.height() < LEAST_CHART * line
                else []
            )
        elif widget.isVisible():
            found += [f"{_name(widget)}: {fault}" for fault in (*_cut(widget), *_covered(widget))]
    return found


def _cut(widget: QWidget) -> Iterator[str]:
    size, line = widget.size(), widget.fontMetrics().height()
    if isinstance(widget, ElidedLabel):
        wanted = min(
            widget.sizeHint().width(), LEAST_ELIDED * widget.fontMetrics().averageCharWidth()
        )
        if widget.text() and (size.width() < wanted or size.height() < line):
            yield f"{size.width()}x{size.height()} px of {wanted}x{line}"
    elif isinstance(widget, QLabel):
        wanted = (
            widget.sizeHint()
            if not widget.wordWrap()
            else QSize(0, widget.heightForWidth(size.width()))
        )
        whole = (
            line <= size.height()
            and widget.fontMetrics().horizontalAdvance(widget.text()) <= size.width()
        )
        if (
            widget.text()
            and not whole
            and (size.width() < wanted.width() or size.height() < wanted.height())
        ):
            yield f"{size.width()}x{size.height()} px of {wanted.width()}x{wanted.height()}"
    elif isinstance(widget, QAbstractButton | QComboBox):
        wanted = widget.minimumSizeHint() if isinstance(widget, QComboBox) else widget.sizeHint()
        text = widget.currentText() if isinstance(widget, QComboBox) else widget.text()
        if text and (size.width() < wanted.width() or size.height() < min(wanted.height(), line)):
            yield f"{size.width()}x{size.height()} px of {wanted.width()}x{wanted.height()}"
    elif isinstance(widget, QAbstractScrollArea) and not isinstance(
        widget, QPlainTextEdit | QHeaderView
    ):
        if isinstance(widget, QScrollArea) and (beyond := widget.horizontalScrollBar().maximum()):
            yield f"scrolls sideways by {beyond} px"
        high = widget.viewport().height()
        yield from [f"{high} px high, a line is {line}"] if high < LEAST_LINES * line else []


def _covered(widget: QWidget) -> Iterator[str]:
    """Children that lie over each other, or beyond their parent where nothing scrolls."""
    children = [
        child
        for child in widget.children()
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow()
    ]
    overlays = ("message", "tour", "tourMark")
    shown = [
        child
        for child in children
        if not child.size().isEmpty() and child.objectName() not in overlays
    ]
    for one, other in itertools.combinations(shown, 2):
        common = one.geometry() & other.geometry()
        if common.width() > 1 and common.height() > 1:
            yield f"{_name(one)} and {_name(other)} share {common.width()}x{common.height()} px"
    inside = (
        []
        if isinstance(widget.parentWidget(), QAbstractScrollArea)
        or isinstance(widget, QAbstractScrollArea)
        else shown
    )
    for child in inside:
        if not widget.rect().adjusted(-1, -1, 1, 1).contains(child.geometry()):
            yield f"{_name(child)} at {_text(child.geometry())} is beyond {_text(widget.rect())}"


def _name(widget: QWidget) -> str:
    text = getattr(widget, "text", None)  # some pane has a widget of that name
    return (
        f"{type(widget).__name__} {widget.objectName()}"
        f" {str(text() if callable(text) else '')[:40]!r}"
    )


def _text(box: QRect) -> str:
    return f"{box.x()},{box.y()} {box.width()}x{box.height()}"


def views(explorer: Explorer, settle: Callable[[], object]) -> Iterator[str]:
    """Every view of the window, one after the other, each on show and settled when its name is
    given.
    """
    window, session = explorer.window, explorer.session
    window.show_workspace(WORKSPACES[0].name)
    settle()
    session.dismiss()
    yield "run"
    for workspace in WORKSPACES[1:]:
        window.show_workspace(workspace.name)
        if workspace.name == "history":
            window.pane("history").bar.kinds.button(
                "runs"
            ).click()  # and not what was looked at before
        settle()
        session.dismiss()
        yield workspace.name
    explorer.controllers["history"].open_gallery()
    settle()
    yield "gallery"


def recorded_views(explorer: Explorer, settle: Callable[[], object]) -> Iterator[str]:
    """What other views show of recordings: a run, sweeps, experiments; and what lies over a window,
    a tour and a message.
    """
    window, session = explorer.window, explorer.session
    window.show_workspace("run")
    settle()
    yield "run"
    window.pane("memory_access").show_view(TouchView(kernel="roofline"))
    window.show_workspace("memory_access")
    settle()
    yield "roofline"
    for name in ("tutorial", "blocks"):
        explorer.controllers["sweep"].open(resource(f"recordings/h200_sweep_{name}.lnsweep"))
        rest(QApplication.instance(), FIRST_MS // 2)
        session.dismiss()
        settle()
        yield f"sweep-{name}"
    for name in ("barrier", "order", "strategies", "dropout"):
        window.pane("experiments").choose(name)
        window.show_workspace("experiments")
        settle()
        yield f"experiment-{name}"
    window.actions_["tour"].trigger()
    settle()
    yield "tour"
    window.findChild(Tour).close()
    session.take(
        WorkerLost(
            say("The worker did not stop within {seconds}, and was ended.", seconds="10 s"),
            "its last words",
            restarting=False,
        )
    )
    settle()
    yield "message"
    session.dismiss()


def begin_window(
    application: QApplication, home: Path, options: WindowOptions, device: str = "interpreter"
) -> Explorer:
    """A window on a home of its own, which fills once events are processed."""
    start = Start(
        options=options,
        paths=Paths(home, home),
        settings=Settings(),
        warnings=(),
        device=device,
        spawned=None,
    )
    explorer = Explorer(start, Preferences(application, start))
    explorer.open()
    return explorer


def open_window(
    application: QApplication, home: Path, *, recording: Path | None = None
) -> Explorer:
    options = WindowOptions(size=SIZES[0], language="en", theme="dark", recording=recording)
    explorer = begin_window(application, home, options)
    wait(application, lambda: is_complete(explorer))
    wait(application, lambda: not explorer.session.state.jobs.busy)
    return explorer


def arrange(
    explorer: Explorer,
    application: QApplication,
    size: tuple[int, int],
    language: str,
    theme: str,
    text: int,
) -> None:
    explorer.preferences.use_language(language)
    explorer.preferences.use_theme(theme)
    explorer.preferences.use_text_percent(text)
    explorer.window.setMinimumSize(0, 0)
    explorer.window.resize(*size)
    rest(application)


def of_workspaces(
    application: QApplication, out: Path, combinations: list[tuple[tuple[int, int], str, str, int]]
) -> None:
    with tempfile.TemporaryDirectory() as home:
        for name, recording in (("", None), ("recorded", resource(RECORDED))):
            folder = Path(home) / (name or "own")
            folder.mkdir()
            explorer = open_window(application, folder, recording=recording)
            for _ in views(
                explorer, lambda: rest(application, FIRST_MS)
            ):  # what a pane asks of the worker comes once
                pass
            for size, language, theme, text in combinations:
                arrange(explorer, application, size, language, theme, text)
                pictures = []
                for view in (recorded_views if name else views)(
                    explorer, lambda: rest(application)
                ):
                    rest(application)
                    pictures.append(explorer.window.grab())
                    wide, high = explorer.window.width(), explorer.window.height()
                    for fault in faults(explorer.window) + (
                        [f"window is {wide}x{high}"] if (wide, high) != size else []
                    ):
                        print(
                            f"{view} {name} {_combination(size, language, theme, text)}: {fault}",
                            flush=True,
                        )
                    _save(
                        pictures[-1],
                        out / f"{view}{name}-{_combination(size, language, theme, text)}.png",
                    )
                if not name:
                    contact_sheet(
                        pictures, out / f"sheet-{_combination(size, language, theme, text)}.png"
                    )
            explorer.preferences.use_language("en")  # the translators of one window outlive it
            explorer.window.close()
            explorer.close()


def film(application: QApplication, path: Path) -> None:
    """The whole of a small recorded reduction, made as the window's own dialog makes films."""
    with tempfile.TemporaryDirectory() as home:
        explorer = open_window(application, Path(home), recording=resource(FILMED))
        (pane,) = explorer.window.findChildren(ReductionPane)
        scene = pane.canvas.scene
        request = FilmRequest(
            path=path,
            width=960,
            height=540,
            fps=10,
            begin_ns=0.0,
            end_ns=scene.timeline.end_ns,
            seconds=6.0,
        )
        make_film(scene, request, pane.provenance(), lambda _painted: True)
        explorer.window.close()
        explorer.close()


def of_lecture(
    application: QApplication, out: Path, combinations: list[tuple[tuple[int, int], str, str, int]]
) -> None:
    from lnexplorer.gui.kit.languages import Languages

    languages, steps = Languages(), lecture_steps()
    done = set()
    for size, language, theme, _ in combinations:
        if (size, language, theme) in done:
            continue
        done.add((size, language, theme))
        languages.use(language)
        lecture = Lecture(steps, languages, dark=theme == "dark", length=LONG)
        lecture.open()
        lecture.window.setWindowState(Qt.WindowState.WindowNoState)
        lecture.window.resize(*size)
        rest(application)
        pictures = [_step(lecture.window, lecture, number) for number in range(len(lecture.steps))]
        which = _combination(size, language, theme, 100)
        for number, picture in enumerate(pictures, 1):
            _save(picture, out / f"lecture{number:02d}-{which}.png")
        for first in range(0, len(pictures), 20):
            contact_sheet(
                pictures[first : first + 20], out / f"sheet-lecture{first + 1:02d}-{which}.png"
            )
        lecture.leave()
        rest(application, 50)


def _step(window: LectureWindow, lecture: Lecture, number: int) -> QPixmap:
    picture = QPixmap(window.size())
    painter = QPainter(picture)
    window.draw(painter, lecture.state(number))
    painter.end()
    return picture


def contact_sheet(pictures: list[QPixmap], path: Path) -> None:
    """Pictures side by side, small."""
    small = [
        each.scaledToWidth(THUMB_WIDTH, Qt.TransformationMode.SmoothTransformation)
        for each in pictures
    ]
    across = min(ACROSS, len(small))
    height = max(each.height() for each in small)
    sheet = QPixmap(across * (THUMB_WIDTH + 4), -(-len(small) // across) * (height + 4))
    sheet.fill(Qt.GlobalColor.gray)
    painter = QPainter(sheet)
    for place, each in enumerate(small):
        painter.drawPixmap(
            QPoint(place % across * (THUMB_WIDTH + 4), place // across * (height + 4)), each
        )
    painter.end()
    _save(sheet, path)


def _save(picture: QPixmap, path: Path) -> None:
    if not picture.save(str(path)):
        sys.exit(f"cannot write {path}")


def _combination(size: tuple[int, int], language: str, theme: str, text: int) -> str:
    return f"{size[0]}x{size[1]}-{language}-{theme}-{text}"


def main() -> None:
    parser = described(__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--out", type=Path, help="a folder, made where it is missing")
    where.add_argument("--film", type=Path, help="a .gif or .mp4")
    parser.add_argument("--only", choices=("workspaces", "lecture"))
    parser.add_argument(
        "--match",
        default="",
        help="only combinations such as 1280x720-en-dark-160 that contain this",
    )
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication([])
    if options.film is not None:
        film(application, options.film)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    every = list(itertools.product(SIZES, LANGUAGES, THEMES, TEXTS))
    wanted = [each for each in every if options.match in _combination(*each)]
    if not wanted:
        sys.exit(
            f"--match = {options.match}: take a part of a name such as {_combination(*every[0])}"
        )
    if options.only != "lecture":
        of_workspaces(application, options.out, wanted)
    if options.only != "workspaces":
        of_lecture(application, options.out, wanted)


if __name__ == "__main__":
    main()
