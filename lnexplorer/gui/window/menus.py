"""The menus as data: one list of actions in their order, with texts and shortcuts."""

from typing import TypeAlias

from lnkernels.values import Sentence, frozen, say, verbatim

AT_ONCE = say("Takes effect at once")
SCRIPT = say(
    "A script with the kernels in it that needs torch and triton alone, and gives the same figure"
)
RUNS = say("The run on the screen, or the runs that are selected in the history")
REPORT = say("These runs, the sweep on the screen, and the experiments that were done here")


@frozen
class Entry:
    """An action of the window."""

    name: str
    text: Sentence
    tip: Sentence
    keys: tuple[str, ...] = ()  # shortcuts, the first of which is shown
    checkable: bool = False


def entry(
    text: Sentence | str, tip: Sentence | str, *, name: str, keys: str = "", checkable: bool = False
) -> Entry:
    """Return an action. Texts are sentences, or templates, which catalogues gather from the calls.

    Args:
        text: in the menu.
        tip: a tooltip.
        name: by which the program knows it.
        keys: shortcuts with blanks between them.
        checkable: it is on or off.
    """
    text, tip = (say(each) if isinstance(each, str) else each for each in (text, tip))
    return Entry(name, text, tip, tuple(keys.split()), checkable)


@frozen
class Menu:
    """A menu. An entry that is None is a separator, a name the place of a group of actions."""

    title: Sentence
    entries: "tuple[Item, ...]" = ()


Item: TypeAlias = Entry | Menu | str | None

MENUS = (
    Menu(
        say("&File"),
        (
            entry(
                "&Open …",
                "A recording, sweep, experiment or session; what a session holds is added to the"
                " history",
                name="open_recording",
                keys="Ctrl+O",
            ),
            Menu(say("Open re&cent"), ("recent",)),
            entry(
                "&Gallery …",
                "What was recorded on a GPU: traces, benchmarks, experiments",
                name="gallery",
                keys="Ctrl+G",
            ),
            entry(
                "Save &recording …",
                "Save the run on the screen, for this program to open elsewhere",
                name="save_recording",
                keys="Ctrl+Shift+S",
            ),
            None,
            entry(
                "Save sess&ion …",
                "Keep everything that is open in a file: runs, sweeps, experiments, the timeline,"
                " and how they are shown",
                name="save_session",
                keys="Ctrl+Alt+S",
            ),
            None,
            Menu(
                say("&Export"),
                (
                    entry(
                        "&Chart …",
                        "A chart as PNG or SVG, at any size, with its provenance",
                        name="chart",
                    ),
                    entry(
                        "This &moment as SVG …",
                        "The reduction as it stands at the playhead, with a line that says where"
                        " it comes from",
                        name="moment",
                    ),
                    entry("&Film …", "A stretch of the reduction as GIF or MP4", name="film"),
                    entry(
                        "Lecture hand&out …",
                        "The steps of the lecture with their notes, as a PDF or a folder of PNGs,"
                        " in the window's language",
                        name="handout",
                    ),
                    None,
                    entry("Copy as &Python", SCRIPT, name="copy_python", keys="Ctrl+Shift+C"),
                    entry(
                        "Copy &as command",
                        "The command that makes this run again",
                        name="copy_command",
                    ),
                    entry(
                        "Copy as &triton.Config", "The settings of each kernel", name="copy_config"
                    ),
                    None,
                    entry("HTML &report …", REPORT, name="export_report"),
                    entry("CS&V …", RUNS, name="export_csv"),
                    entry("CSV, a row a fi&gure …", RUNS, name="export_figures"),
                    entry("Par&quet …", RUNS, name="export_parquet"),
                    entry("&JSON …", RUNS, name="export_json"),
                    entry("&Notebook …", SCRIPT, name="export_notebook"),
                    entry("Python &script …", SCRIPT, name="export_script"),
                ),
            ),
            entry(
                "&Save picture …",
                "Save the window as a picture",
                name="save_picture",
                keys="Ctrl+S",
            ),
            None,
            entry("&Quit", "Close the window and end the worker", name="quit", keys="Ctrl+Q"),
        ),
    ),
    Menu(
        say("&Run"),
        (
            entry(
                "&Run",
                "Run the kernels with the parameters as they are",
                name="run",
                keys="F5 Ctrl+Return",
            ),
            entry(
                "Check &64 rows",
                "Run the problem with M = 64, which takes Triton's interpreter about a second",
                name="run_few",
            ),
            entry("&Stop", "Stop the run", name="stop", keys="Esc"),
            entry(
                "&Live",
                "Run whenever a parameter moves",
                name="live",
                keys="Ctrl+L",
                checkable=True,
            ),
            None,
            entry(
                "&Undo",
                "Take back the last change of the parameters, by whatever it was made",
                name="undo",
                keys="Ctrl+Z",
            ),
            entry(
                "R&edo",
                "Make the change again that was taken back",
                name="redo",
                keys="Ctrl+Shift+Z",
            ),
            None,
            entry(
                "Sa&ve as preset …",
                "Keep the parameters under a name; those of your own preset get another name",
                name="save_preset",
            ),
            entry(
                "Dele&te preset",
                "Forget your own preset that has these parameters",
                name="delete_preset",
            ),
            None,
            entry(
                "Record loc&ks",
                "Record on the GPU when each row wanted, held and released its lock",
                name="trace",
                keys="Ctrl+T",
            ),
            entry(
                "&Pin as A",
                "Show how far every figure is from this run's from now on; again to unpin it",
                name="pin",
                keys="Ctrl+Shift+A",
            ),
            None,
            Menu(
                say("&Device"),
                (
                    "devices",
                    None,
                    entry(
                        "Add a &machine …",
                        "Run on the GPUs of another machine, which your own ssh reaches",
                        name="add_machine",
                    ),
                    entry(
                        "Remo&ve this machine",
                        "Take the machine that is chosen out of this menu, and run here",
                        name="remove_machine",
                    ),
                ),
            ),
            entry(
                "Restart &worker",
                "End the worker process and start a new one",
                name="restart",
                keys="Ctrl+Shift+R",
            ),
        ),
    ),
    Menu(
        say("&View"),
        (
            "workspaces",
            None,
            entry(
                "F&ill the workspace",
                "Show the part with the keyboard alone, or all others again",
                name="fill",
                keys="F10",
            ),
            entry(
                "Window of its &own",
                "Show the part with the keyboard in a window of its own; it returns when that is"
                " closed",
                name="own_window",
                keys="Ctrl+Shift+F",
            ),
            entry(
                "Fold the &parameters",
                "Show the parameters as one line of values, or the form again",
                name="fold",
                keys="Ctrl+P",
                checkable=True,
            ),
            None,
            entry(
                "Usual arra&ngement",
                "Share the room as at first, and take all parts back into the window",
                name="usual_arrangement",
                keys="Ctrl+Shift+1",
            ),
            None,
            entry(
                "Le&cture",
                "The reduction, step by step, for a lecture hall; H there shows all keys",
                name="lecture",
                keys="F9",
            ),
            entry(
                "&Exercises",
                "Lab sheets beside the workspaces; an answer is checked by what was run or"
                " recorded",
                name="exercises",
                keys="Ctrl+Shift+E",
                checkable=True,
            ),
            entry(
                "&Full screen", "For the projector", name="full_screen", keys="F11", checkable=True
            ),
            None,
            entry(
                "Lar&ger text",
                "So that the last row can read it",
                name="larger_text",
                keys="Ctrl++ Ctrl+=",
            ),
            entry("S&maller text", "So that more fits", name="smaller_text", keys="Ctrl+-"),
            entry(
                "&Usual text",
                "The size of the text as it was at first",
                name="usual_text",
                keys="Ctrl+0",
            ),
            None,
            Menu(
                say("&Appearance"),
                (
                    "themes",
                    None,
                    entry(
                        "Dark or light",
                        "Change between dark and light",
                        name="next_theme",
                        keys="Ctrl+Shift+D",
                    ),
                ),
            ),
            Menu(verbatim("&Language · 语言"), ("languages",)),
        ),
    ),
    Menu(
        say("&Help"),
        (
            entry(
                "&Manual", "What is shown, at the part with the keyboard", name="manual", keys="F1"
            ),
            entry(
                "&Find an action …",
                "Type a part of the name of an action, a setting, a button or a recording, and"
                " press Return",
                name="palette",
                keys="Ctrl+K",
            ),
            entry("&Keys", "What each key does", name="keys"),
            entry("&Glossary", "The words of the field, as they are used here", name="glossary"),
            entry(
                "&Try your own",
                "A tour of five steps over the window; Esc leaves it",
                name="tour",
                keys="Shift+F1",
            ),
            None,
            entry(
                "&Provenance",
                "Where the numbers on the screen come from",
                name="provenance",
                keys="Ctrl+I",
            ),
            entry("&About lnexplorer", "What this program is", name="about"),
        ),
    ),
)
# Actions that new users should not overlook, with the texts of their buttons in the left bar.
DOORS = {
    "gallery": say("Watch an H200"),
    "lecture": say("Lecture (F9)"),
    "tour": say("Try your own"),
}
COPIES = ("copy_python", "copy_command", "copy_config")
EXPORTS = (
    "export_report",
    "export_csv",
    "export_figures",
    "export_parquet",
    "export_json",
    "export_notebook",
    "export_script",
)
EXPORT_ACTIONS = (
    *("save_recording", "save_session", "save_picture", "chart", "moment", "film", "handout"),
    *COPIES,
    *EXPORTS,
)
THEMES = {"system": say("As the system"), "dark": say("Dark"), "light": say("Light")}
LANGUAGES = {
    "system": say("As the system"),
    "en": verbatim("English"),
    "zh_CN": verbatim("简体中文"),
}
