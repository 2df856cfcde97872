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
    """An action. Of its shortcuts, the first is shown."""

    name: str
    text: Sentence
    tip: Sentence
    keys: tuple[str, ...] = ()
    checkable: bool = False


@frozen
class Menu:
    """A menu. None is a line between two entries, a name the place of a group of actions."""

    title: Sentence
    entries: "tuple[Item, ...]" = ()


Item: TypeAlias = Entry | Menu | str | None

MENUS = (
    Menu(
        say("&File"),
        (
            Entry(
                "open_recording",
                say("&Open …"),
                say(
                    "A recording, sweep, experiment or session; what a session holds is added to"
                    " the history"
                ),
                ("Ctrl+O",),
            ),
            Menu(say("Open re&cent"), ("recent",)),
            Entry(
                "gallery",
                say("&Gallery …"),
                say("What was recorded on a GPU: traces, benchmarks, experiments"),
                ("Ctrl+G",),
            ),
            Entry(
                "save_recording",
                say("Save &recording …"),
                say("Save the run on the screen, for this program to open elsewhere"),
                ("Ctrl+Shift+S",),
            ),
            None,
            Entry(
                "save_session",
                say("Save sess&ion …"),
                say(
                    "Keep everything that is open in a file: runs, sweeps, experiments, the"
                    " timeline, and how they are shown"
                ),
                ("Ctrl+Alt+S",),
            ),
            None,
            Menu(
                say("&Export"),
                (
                    Entry(
                        "chart",
                        say("&Chart …"),
                        say("A chart as PNG or SVG, at any size, with its provenance"),
                    ),
                    Entry(
                        "moment",
                        say("This &moment as SVG …"),
                        say(
                            "The reduction as it stands at the playhead, with a line that says"
                            " where it comes from"
                        ),
                    ),
                    Entry("film", say("&Film …"), say("A stretch of the reduction as GIF or MP4")),
                    Entry(
                        "handout",
                        say("Lecture hand&out …"),
                        say(
                            "The steps of the lecture with their notes, as a PDF or a folder of"
                            " PNGs, in the window's language"
                        ),
                    ),
                    None,
                    Entry("copy_python", say("Copy as &Python"), SCRIPT, ("Ctrl+Shift+C",)),
                    Entry(
                        "copy_command",
                        say("Copy &as command"),
                        say("The command that makes this run again"),
                    ),
                    Entry(
                        "copy_config",
                        say("Copy as &triton.Config"),
                        say("The settings of each kernel"),
                    ),
                    None,
                    Entry("export_report", say("HTML &report …"), REPORT),
                    Entry("export_csv", say("CS&V …"), RUNS),
                    Entry("export_figures", say("CSV, a row a fi&gure …"), RUNS),
                    Entry("export_parquet", say("Par&quet …"), RUNS),
                    Entry("export_json", say("&JSON …"), RUNS),
                    Entry("export_notebook", say("&Notebook …"), SCRIPT),
                    Entry("export_script", say("Python &script …"), SCRIPT),
                ),
            ),
            Entry(
                "save_picture",
                say("&Save picture …"),
                say("Save the window as a picture"),
                ("Ctrl+S",),
            ),
            None,
            Entry("quit", say("&Quit"), say("Close the window and end the worker"), ("Ctrl+Q",)),
        ),
    ),
    Menu(
        say("&Run"),
        (
            Entry(
                "run",
                say("&Run"),
                say("Run the kernels with the parameters as they are"),
                ("F5", "Ctrl+Return"),
            ),
            Entry(
                "run_few",
                say("Check &64 rows"),
                say("Run the problem with M = 64, which takes Triton's interpreter about a second"),
            ),
            Entry("stop", say("&Stop"), say("Stop the run"), ("Esc",)),
            Entry(
                "live",
                say("&Live"),
                say("Run whenever a parameter moves"),
                ("Ctrl+L",),
                checkable=True,
            ),
            None,
            Entry(
                "undo",
                say("&Undo"),
                say("Take back the last change of the parameters, by whatever it was made"),
                ("Ctrl+Z",),
            ),
            Entry(
                "redo",
                say("R&edo"),
                say("Make the change again that was taken back"),
                ("Ctrl+Shift+Z",),
            ),
            None,
            Entry(
                "save_preset",
                say("Sa&ve as preset …"),
                say("Keep the parameters under a name; those of your own preset get another name"),
            ),
            Entry(
                "delete_preset",
                say("Dele&te preset"),
                say("Forget your own preset that has these parameters"),
            ),
            None,
            Entry(
                "trace",
                say("Record loc&ks"),
                say("Record on the GPU when each row wanted, held and released its lock"),
                ("Ctrl+T",),
            ),
            Entry(
                "pin",
                say("&Pin as A"),
                say("Show how far every figure is from this run's from now on; again to unpin it"),
                ("Ctrl+Shift+A",),
            ),
            None,
            Menu(
                say("&Device"),
                (
                    "devices",
                    None,
                    Entry(
                        "add_machine",
                        say("Add a &machine …"),
                        say("Run on the GPUs of another machine, which your own ssh reaches"),
                    ),
                    Entry(
                        "remove_machine",
                        say("Remo&ve this machine"),
                        say("Take the machine that is chosen out of this menu, and run here"),
                    ),
                ),
            ),
            Entry(
                "restart",
                say("Restart &worker"),
                say("End the worker process and start a new one"),
                ("Ctrl+Shift+R",),
            ),
        ),
    ),
    Menu(
        say("&View"),
        (
            "workspaces",
            None,
            Entry(
                "fill",
                say("F&ill the workspace"),
                say("Show the part with the keyboard alone, or all others again"),
                ("F10",),
            ),
            Entry(
                "own_window",
                say("Window of its &own"),
                say(
                    "Show the part with the keyboard in a window of its own; it returns when that"
                    " is closed"
                ),
                ("Ctrl+Shift+F",),
            ),
            Entry(
                "fold",
                say("Fold the &parameters"),
                say("Show the parameters as one line of values, or the form again"),
                ("Ctrl+P",),
                checkable=True,
            ),
            None,
            Entry(
                "usual_arrangement",
                say("Usual arra&ngement"),
                say("Share the room as at first, and take all parts back into the window"),
                ("Ctrl+Shift+1",),
            ),
            None,
            Entry(
                "lecture",
                say("Le&cture"),
                say("The reduction, step by step, for a lecture hall; H there shows all keys"),
                ("F9",),
            ),
            Entry(
                "exercises",
                say("&Exercises"),
                say(
                    "Lab sheets beside the workspaces; an answer is checked by what was run or"
                    " recorded"
                ),
                ("Ctrl+Shift+E",),
                checkable=True,
            ),
            Entry(
                "full_screen",
                say("&Full screen"),
                say("For the projector"),
                ("F11",),
                checkable=True,
            ),
            None,
            Entry(
                "larger_text",
                say("Lar&ger text"),
                say("So that the last row can read it"),
                ("Ctrl++", "Ctrl+="),
            ),
            Entry("smaller_text", say("S&maller text"), say("So that more fits"), ("Ctrl+-",)),
            Entry(
                "usual_text",
                say("&Usual text"),
                say("The size of the text as it was at first"),
                ("Ctrl+0",),
            ),
            None,
            Menu(
                say("&Appearance"),
                (
                    "themes",
                    None,
                    Entry(
                        "next_theme",
                        say("Dark or light"),
                        say("Change between dark and light"),
                        ("Ctrl+Shift+D",),
                    ),
                ),
            ),
            Menu(verbatim("&Language · 语言"), ("languages",)),
        ),
    ),
    Menu(
        say("&Help"),
        (
            Entry(
                "manual",
                say("&Manual"),
                say("What is shown, at the part with the keyboard"),
                ("F1",),
            ),
            Entry(
                "palette",
                say("&Find an action …"),
                say(
                    "Type a part of the name of an action, a setting, a button or a recording, and"
                    " press Return"
                ),
                ("Ctrl+K",),
            ),
            Entry("keys", say("&Keys"), say("What each key does")),
            Entry(
                "glossary", say("&Glossary"), say("The words of the field, as they are used here")
            ),
            Entry(
                "tour",
                say("&Try your own"),
                say("A tour of five steps over the window; Esc leaves it"),
                ("Shift+F1",),
            ),
            None,
            Entry(
                "provenance",
                say("&Provenance"),
                say("Where the numbers on the screen come from"),
                ("Ctrl+I",),
            ),
            Entry("about", say("&About lnexplorer"), say("What this program is")),
        ),
    ),
)
# Actions that nobody who is new should overlook, as the bar at the left edge calls them until they
# are used.
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
