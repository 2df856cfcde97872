"""`lnexplorer lecture`: the lecture on paper, or as a page, without a window."""

from lnexplorer.cli.commands import OK, failed, refusal
from lnexplorer.cli.options import CommandParser, Options, add_file
from lnexplorer.cli.terminal import Progress, give
from lnexplorer.doctor.qt_libraries import missing_libraries, missing_sentence
from lnexplorer.domain.lecture.scenes import LENGTHS, USUAL
from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.protocol.messages import JobProgress
from lnexplorer.report.signals import signals_held
from lnexplorer.report.tables import write

DESCRIPTION = """\
Write the lecture as a handout, for its speaker or for students, two steps to a page of A4; or as
one page of HTML, which anyone can open in a browser.
"""
EPILOG = """\
F9 in the window gives the lecture. Exit status: 0 written; 2 the options are not possible; 3
nothing could be drawn or written; 130 interrupted, and nothing is written.
"""
LANGUAGES = ("en", "zh_CN")


def parser() -> CommandParser:
    command = CommandParser("lecture", DESCRIPTION, EPILOG)
    written = command.add_mutually_exclusive_group(required=True)
    add_file(written, "--handout", "the PDF to write")
    text = "the page to write: all steps in English and Chinese, which play, and the exercises"
    add_file(written, "--html", text)
    command.add_argument(
        "--for",
        dest="reader",
        choices=("speaker", "student"),
        default="speaker",
        help="a student gets explanations, blanks to fill and, at the end, what belongs into them,"
        " but no directions for the speaker. Default: %(default)s.",
    )
    command.add_argument(
        "--minutes",
        type=int,
        choices=LENGTHS,
        default=USUAL,
        help="of the lecture. Default: %(default)s.",
    )
    command.add_argument(
        "--language", choices=LANGUAGES, default=LANGUAGES[0], help="Default: %(default)s."
    )
    return command


def main(options: Options) -> int:
    _check_name(options)
    missing = missing_libraries(("offscreen",))
    if missing:
        raise failed("drawing", missing_sentence(missing))
    with signals_held():
        from lnexplorer.gui.kit.languages import (
            CHINESE_FONT_PACKAGE,
            ENGLISH,
            Languages,
            has_chinese_font,
        )  # Qt from here on
        from lnexplorer.lecture.handout import draw_handout
        from lnexplorer.lecture.loading import lecture_steps
        from lnexplorer.lecture.web import draw_lecture
        from lnexplorer.report.pictures import begin_drawing

        begin_drawing()
        languages = Languages()
        no_font = options.language != ENGLISH and not has_chinese_font()
        languages.use(options.language)
    if no_font:
        allowed = (
            f"no font with Chinese characters is here: install the package {CHINESE_FONT_PACKAGE}"
        )
        raise refusal("language", options.language, allowed)
    target = options.handout or options.html
    steps, progress = lecture_of(lecture_steps(), options.minutes), Progress()
    finished: list[bytes] = []
    try:
        if options.html is not None:
            drawing = draw_lecture(steps, finished)
        else:
            drawing = draw_handout(steps, finished, options.reader)
        while True:
            with signals_held():
                done = next(drawing, None)
            if done is None:
                break
            progress.show(JobProgress(0, "drawing", step=None, done=done, total=len(steps)))
        write(target, finished[0])
    finally:
        progress.clear()
    document = {
        "handout": str(target),
        "format": target.suffix.lower().lstrip("."),
        "language": options.language,
        "for": options.reader,
        "minutes": options.minutes,
        "steps": len(steps),
    }
    give(document, f"{target}: {len(steps)} steps", as_json=options.json)
    return OK


def _check_name(options: Options) -> None:
    """Refuse a file whose name is not possible."""
    name, suffix = ("html", ".html") if options.html is not None else ("handout", ".pdf")
    path = getattr(options, name)
    if path.suffix.lower() != suffix:
        options.refuse(name, path, f"take a name that ends in {suffix}")
    else:
        options.check_file(name, path)
    if options.html is not None and "reader" in options.given:
        options.refuse("for", options.reader, "leave it out: the page has no directions and blanks")
    options.end_if_refused()
