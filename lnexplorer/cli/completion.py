"""`lnexplorer completion`: a script for a shell that completes commands, options and values, made
from the parsers themselves.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from lnexplorer.cli.commands import COMMANDS, OK, command_module
from lnexplorer.cli.options import ARCHITECTURES, CommandParser, Options
from lnexplorer.cli.terminal import show
from lnexplorer.domain.compared import OWN
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import known_providers
from lnexplorer.store.exercises import load_exercises
from lnkernels.values import frozen
from lnkernels.values.listing import ARCHITECTURES as LISTED

DESCRIPTION = "Print a script that completes commands, options and values of lnexplorer."
EPILOG = """\
In ~/.bashrc: eval "$(lnexplorer completion bash)"; in ~/.zshrc after compinit: eval "$(lnexplorer
completion zsh)"; once for fish: lnexplorer completion fish >
~/.config/fish/completions/lnexplorer.fish.
"""
MANY = ("NAMES", "VALUES", "DEVICES")  # what a list by comma is called in the help
DEVICES = ("auto", "cuda:0", "interpreter")
# Values of options of `compile`.
COMPILED = {
    "device": (*DEVICES, *LISTED, *(f"interpreter:{name}" for name in LISTED)),
    "architectures": (*LISTED, "all"),
    "only": ("forward", "stage1", "stage2"),
    "diff": tuple(f"{name}=" for name in (*BY_NAME, "device", "history")),
}
WINDOW = ""  # the command without a name
HELP_LENGTH = 70

# The words up to the cursor are taken from the line itself, because bash cuts them at "=" and ":".
BASH = """\
_lnexplorer() {{
    local line=${{COMP_LINE:0:COMP_POINT}} words files= many= values= command= option= word=
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    word=${{words[-1]}}
    (( ${{#words[@]}} > 2 )) && command=${{words[1]}} option=${{words[-2]}}
    [[ " {names} " == *" $command "* ]] || command=
    [[ $word == --*=* ]] && option=${{word%%=*}} word=${{word#*=}}
    case "$command $option" in
{cases}
    *)
        case "$command" in
{commands}
        esac
        if [[ $word == -* ]]; then files= many= values=$options; fi
        (( ${{#words[@]}} == 2 )) && [[ $word != -* ]] && values+=" {names}"
    esac
    local before=
    [[ $many && $word == *,* ]] && before=${{word%,*}},
    COMPREPLY=($(compgen -P "$before" -W "$values" -- "${{word#"$before"}}"))
    [[ $files ]] && compopt -o default
    local colon="${{word%"${{word##*:}}"}}"
    [[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${{COMPREPLY[@]#"$colon"}}")
}}
complete -F _lnexplorer lnexplorer"""
ZSH = """\
#compdef lnexplorer
_lnexplorer() {{
    local -a commands=(
{names}
    )
    local command=${{words[2]}}
    if (( CURRENT == 2 )) && [[ $command != -* ]]; then
        _describe -t commands command commands
        _files
        return
    fi
    if (( ${{+commands[(r)$command:*]}} )); then
        shift words
        (( CURRENT-- ))
    else
        command=
    fi
    case $command in
{commands}
    esac
}}
if [[ $funcstack[1] == _lnexplorer ]]; then
    _lnexplorer "$@"
else
    compdef _lnexplorer lnexplorer
fi"""
FISH = """\
function __lnexplorer_command_is
    set -l typed (commandline -opc) ''
    contains -- "$typed[2]" {names}; or set typed[2] ''
    test "$typed[2]" = "$argv[1]"
end
function __lnexplorer_list
    set -l before (string replace -r '^--[^=]*=' '' -- (commandline -ct) | string match -r '.*,')
    printf '%s\\n' $before$argv
end
complete -c lnexplorer -e
complete -c lnexplorer -f
{lines}"""


@frozen
class Word:
    """An option, or a positional argument where `names` is empty."""

    names: tuple[str, ...]
    help: str
    takes: bool  # a value
    values: tuple[str, ...]  # that it may have; empty where they are not known
    many: bool  # by comma
    files: bool


def main(options: Options) -> int:
    show(SHELLS[options.shell]({name: tuple(_words(name)) for name in (WINDOW, *COMMANDS)}))
    return OK


def parser() -> CommandParser:
    command = CommandParser("completion", DESCRIPTION, EPILOG, json=False)
    command.add_argument("shell", choices=tuple(SHELLS), help="the shell that reads the script")
    return command


def _words(command: str) -> Iterator[Word]:
    for action in command_module(command).parser()._actions:
        if action.help == argparse.SUPPRESS:
            continue
        metavar = str(action.metavar or "")
        help_line = (
            (action.help or "").replace("%%", "%").partition(". ")[0].partition("; ")[0].rstrip(".")
        )
        yield Word(
            names=tuple(action.option_strings),
            help=(
                help_line
                if len(help_line) <= HELP_LENGTH
                else f"{help_line[:HELP_LENGTH].rpartition(' ')[0]} …"
            ),
            takes=action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction),
            values=_values(command, action, metavar),
            many=metavar in MANY or ("," in metavar and "|" not in metavar),
            files="FILE" in metavar or metavar in ("DIR", "A", "B"),
        )


def _values(command: str, action: argparse.Action, metavar: str) -> tuple[str, ...]:
    compiled = COMPILED.get(action.dest) if command == "compile" else None
    if action.choices or compiled:
        return tuple(map(str, action.choices or compiled or ()))
    if command == "exercises" and action.dest == "name":
        return tuple(exercise.name for exercise in load_exercises(Path())[0])
    if "|" in metavar or "," in metavar:
        return tuple(metavar.split("|" if "|" in metavar else ","))
    if action.dest == "device":
        return (*DEVICES, *(f"interpreter:{name}" for name in ARCHITECTURES))
    if action.dest in ("provider", "who"):
        return (*known_providers(), OWN if action.dest == "who" else "none")
    return BY_NAME[action.dest].choices if metavar in MANY and action.dest in BY_NAME else ()


Commands = dict[str, tuple[Word, ...]]


def _bash(commands: Commands) -> str:
    cases, by_command = [], []
    for command, words in commands.items():
        for word in words:
            if word.names and word.takes:
                pattern = " | ".join(f"'{command} {name}'" for name in word.names)
                cases.append(f"    {pattern}) {_bash_values([word])} ;;")
        options = " ".join(name for word in words for name in word.names)
        alone = [word for word in words if not word.names]
        by_command.append(f"        '{command}') {_bash_values(alone)} options='{options}' ;;")
    return BASH.format(
        cases="\n".join(cases), commands="\n".join(by_command), names=" ".join(COMMANDS)
    )


def _bash_values(words: list[Word]) -> str:
    values = " ".join(value for word in words for value in word.values)
    files, many = any(word.files for word in words), any(word.many for word in words)
    return f"values='{values}'" + (" files=1" if files else "") + (" many=1" if many else "")


def _zsh(commands: Commands) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("'", "'\\''") + "'"

    def plain(text: str) -> str:
        for sign in "\\[]:":
            text = text.replace(sign, f"\\{sign}")
        return text

    def value(word: Word) -> str:
        label = plain(word.names[-1].lstrip("-") if word.names else "word")
        listed = " ".join(map(plain, word.values))
        end = (
            f"_sequence compadd - {listed}"
            if word.many and listed
            else f"({listed})"
            if listed
            else "_files" * word.files
        )
        return f":{label}:{end or ' '}"

    def spec(word: Word, place: int) -> Iterator[str]:
        if not word.names and (word.values or word.files):
            yield quoted(f"{place}{value(word)}")
        for name in word.names:
            equals = "=" if word.takes and name.startswith("--") else ""
            yield quoted(f"{name}{equals}[{plain(word.help)}]{value(word) if word.takes else ''}")

    names = "\n".join(
        f"        {quoted(f'{name}:{plain(text)}')}" for name, text in COMMANDS.items()
    )
    lines = []
    for command, words in commands.items():
        alone = [word for word in words if not word.names]
        specs = [
            each
            for word in words
            for each in spec(word, alone.index(word) + 1 if word in alone else 0)
        ]
        lines.append(f"    '{command}') _arguments {' '.join(specs)} ;;")
    return ZSH.format(names=names, commands="\n".join(lines))


def _fish(commands: Commands) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = [
        'complete -c lnexplorer -n \'__lnexplorer_command_is ""; and test (count (commandline'
        f" -opc)) -eq 1' -a {name} -d {quoted(text)}"
        for name, text in COMMANDS.items()
    ]
    for command, words in commands.items():
        for word in words:
            line = f"complete -c lnexplorer -n '__lnexplorer_command_is \"{command}\"'"
            line += "".join(
                f" -{'l' if name[1] == '-' else 's'} {name.lstrip('-')}" for name in word.names
            )
            if word.takes and word.names:
                line += " -r" if word.files else " -x"
            if word.files:
                line += " -F"
            if word.values:
                values = " ".join(word.values)
                line += f" -a {quoted(f'(__lnexplorer_list {values})' if word.many else values)}"
            lines.append(f"{line} -d {quoted(word.help)}")
    return FISH.format(names=" ".join(COMMANDS), lines="\n".join(lines))


SHELLS: dict[str, Callable[[Commands], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
