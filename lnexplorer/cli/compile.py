"""`lnexplorer compile`: the kernels in every form of the compiler, for an architecture that need
not be here.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from lnexplorer.cli.commands import FAILED, FAULT_FOUND, OK, failed, impossible, refusal
from lnexplorer.cli.history import history_of, rows_of
from lnexplorer.cli.jobs import as_chosen, do_job, do_jobs, keep_run
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_device_option,
    add_file,
    add_flag,
    add_option,
    add_run_options,
    read_request,
)
from lnexplorer.cli.providers import add_setting_option, read_kernel
from lnexplorer.cli.run import facts_table
from lnexplorer.cli.terminal import aligned, give, print_json, say, show
from lnexplorer.domain.compiled import (
    FactSection,
    by_role,
    counted_facts,
    listing_facts,
    locks,
    unlike,
    uses,
    waits,
)
from lnexplorer.domain.jobs import Compiled, CompileJob, RunJob
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import KNOWN_PEERS, kernels_of_peer
from lnexplorer.domain.ranges import read_setting, read_values
from lnexplorer.domain.request import RunRequest, check, written_out
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.wording import setting_text, share
from lnexplorer.protocol.codec import to_plain
from lnexplorer.report.documents import run_document
from lnexplorer.report.tables import write
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource, with_settings
from lnkernels.values import Words
from lnkernels.values.listing import (
    ARCHITECTURES,
    RULE,
    RULE_LIMITS,
    STAGES,
    Listing,
    LockRelease,
    MemoryUse,
)
from lnkernels.values.listing_diff import beside

DESCRIPTION = """\
Compile forward, stage 1 and stage 2 of a setting, on any machine, and show what became of them:
registers, loads and stores, barriers, and whether the locks are given back after a barrier. Or the
code itself, in any form.
"""
EPILOG = f"""\
--device interpreter:sm_90 compiles for an architecture, of {", ".join(ARCHITECTURES)}; without one
it is that of the GPU, and sm_90 where there is none. Exit status: 0 done; 1 a lock is given back
before all is stored; 2 the request is not possible; 3 the compiler, or writing, failed; 130
interrupted, 143 by SIGTERM, 129 by a hang-up.
"""
UNUSED = ("data", "seed", "repeats")  # of a run: nothing is run
SUFFIXES = {
    "source": "py",
    "ttir": "ttir",
    "ttgir": "ttgir",
    "llir": "ll",
    "ptx": "ptx",
    "sass": "sass",
}
SHOWN_PLACES = 6  # of the source, and reasons to wait
CONTEXT = 3  # lines around a difference


def main(options: Options) -> int:
    job = _read_job(options)
    options.end_if_refused()
    others = _read_others(options, job)
    if options.out is not None and options.out.exists() and not options.out.is_dir():
        options.refuse("out", options.out, "name a folder, not a file")
    if options.counters:
        _refuse_beside_counters(options, job)
    elif options.architectures is not None:
        reason = "leave it out with --architectures, which is one table; --device names one"
        options.refuse_given(("stage", "out"), reason)
    options.end_if_refused()
    if options.counters:
        return _count(options, job)
    device = "interpreter" if job.architecture else options.device
    done = do_jobs([as_chosen(each) for each in (job, *others)], Compiled, device)
    found, *rest = [_only(options.only, each) for each in done]
    stages: tuple[str, ...] = (options.stage,) if options.stage else ()
    if options.stage == "all" or (options.out is not None and not options.stage):
        stages = STAGES
    if options.out is not None:
        _write(options.out, found, stages)
        stages = ()
    if options.json:
        print_json(_document(found, rest, stages))
    else:
        show(_text(options, found, rest, stages))
    kernels = [kernel for each in (found, *rest) for kernel in each.kernels]
    faulty = dict.fromkeys(kernel.function for kernel in kernels if kernel.faulty)
    if faulty:
        names = ", ".join(faulty)
        say("compile", f"status 1: a lock is given back before all is stored, in {names}")
    return FAULT_FOUND if faulty else OK


def _refuse_beside_counters(options: Options, job: CompileJob) -> None:
    """Refuse the options that --counters does not take."""
    reason = "leave it out with --counters, which runs a strategy's kernels"
    names = ("kernel", "only", "stage", "out", "diff", "architectures", "facts", "check")
    options.refuse_given(names, reason)
    if job.architecture:
        reason = "name a GPU for --counters: only hardware counts"
        options.refuse("device", job.architecture, reason)


def parser() -> CommandParser:
    made = CommandParser("compile", DESCRIPTION, EPILOG)
    made.add_argument("--stage", choices=(*STAGES, "all"), help="print the code in this form")
    add_file(made, "--out", "write the code into files of DIR, every form if not given", "DIR")
    add_option(
        made,
        "--diff",
        "compare with another value of a setting (of the file, too), or of device, or with"
        " kernel=FILE, history=NUMBER or history=A; default stage: sass",
        "SETTING=VALUE",
    )
    add_option(made, "--architectures", "one table over several, by comma, or all", "NAMES")
    made.add_argument(
        "--kernel",
        "--provider",
        metavar="FILE",
        help="a kernel of your own, such as my_norm.py, whose code is run for that, or a peer's",
    )
    add_setting_option(made)
    add_option(made, "--only", "kernels by their names or parts of them, such as stage1", "NAMES")
    add_flag(made, "--facts", "registers, spills, shared memory and occupancy alone")
    add_flag(made, "--counters", "run on a GPU, and have Nsight Compute (ncu) read its counters")
    add_flag(made, "--check", "the rule for locks alone")
    add_run_options(made, UNUSED)
    add_device_option(made)
    return made


def _read_job(options: Options) -> CompileJob:
    options.device, architecture = _split_device(options.device)
    if architecture and architecture not in ARCHITECTURES:
        options.problems.append(_unknown(architecture))
    summary = not (
        options.stage or options.facts or options.check or options.diff or options.architectures
    )
    source = None
    if options.kernel is not None:
        source = _read_source(options, options.kernel, options.setting, options.norm)
    elif options.setting:
        options.refuse("setting", options.setting[0], "name the file that has it with --kernel")
    request = read_request(options, [source] if source else [])
    return CompileJob(problem=request, architecture=architecture, source=source, live=summary)


def _read_others(options: Options, job: CompileJob) -> list[CompileJob]:
    """Read the settings that are compared with the first."""
    others = [] if options.diff is None else _read_difference(options, job)
    if options.architectures is not None:
        names = ARCHITECTURES
        if options.architectures != "all":
            names = options.read_choices("architectures", (), ARCHITECTURES)
        others += [replace(job, architecture=name) for name in names]
    return others


def _read_difference(options: Options, job: CompileJob) -> list[CompileJob]:
    """Read SETTING=VALUE: the job with each value of a setting."""
    name, given, value = (part.strip() for part in options.diff.partition("="))
    option, source = name.lstrip("-").replace("-", "_"), job.source
    offered = dict(source.offered) if source is not None else {}
    others: list[CompileJob] = []
    values: Sequence[Any] | Problem = ()
    if source is not None and name in offered and given:
        values = read_setting(f"{source.name}.{name}", value, offered[name])
        if not isinstance(values, Problem):
            others = [replace(job, source=with_settings(source, {name: each})) for each in values]
    elif option in {"kernel", "provider"} and given:
        others = [replace(job, source=_read_source(options, value, [], job.problem.norm))]
    elif option in BY_NAME and option not in UNUSED and given:
        values = read_values(BY_NAME[option], value)
        if not isinstance(values, Problem):
            changed = [job.problem.changed(**{option: each}) for each in values]
            options.problems += [problem for each in changed for problem in check(each, "cuda")]
            others = [replace(job, problem=each) for each in changed]
    elif option in {"device", "architecture"} and given:
        _, architecture = _split_device(value)
        values = (architecture,) if architecture in ARCHITECTURES else _unknown(value)
        others = [replace(job, architecture=architecture)]
    elif option == "history" and given:
        others = [replace(job, problem=_past(value))]
    else:
        names = ", ".join(name for name in BY_NAME if name not in UNUSED)
        allowed = f"write SETTING=VALUE, with device, kernel, history or one of {names}"
        values = impossible("diff", options.diff, allowed)
    options.problems += [values] if isinstance(values, Problem) else []
    return others


def _read_source(
    options: Options, place: str, settings: Sequence[str], norm: str | None
) -> KernelSource | None:
    """Read the kernel of a file or a module, or that of a peer."""
    if place not in KNOWN_PEERS:
        return read_kernel(options, place, settings)
    found = kernels_of_peer(place, norm or "layer_norm")
    if isinstance(found, KernelSource):
        return found
    options.problems.append(found)
    return None


def _past(value: str) -> RunRequest:
    """Return the request of a run of the history, with its launch written out."""
    with history_of("compile") as history:
        number = history.runs.baseline() if value == "A" else value
        if number is None:
            allowed = "take the number of a run: the window has pinned none as A"
            raise refusal("history", value, allowed)
        (row,) = rows_of(history, [str(number)])
        result = history.runs.load(row.id)
    return written_out(result.request, result.resolved)


def _split_device(name: str) -> tuple[str, str]:
    """Return the device, and the architecture that it compiles for, which may be named alone."""
    device, _, architecture = name.partition(":")
    if name.startswith("sm_"):
        return "interpreter", name
    return (device, architecture) if device == "interpreter" else (name, "")


def _unknown(architecture: str) -> Problem:
    return impossible("device", architecture, f"take one of {', '.join(ARCHITECTURES)}")


def _only(names: str | None, found: Compiled) -> Compiled:
    """Leave the kernels that have one of these names, or parts of names by comma, in theirs."""
    parts = [part.strip() for part in (names or "").split(",")]
    kept = tuple(
        kernel
        for kernel in found.kernels
        if any(part in name for part in parts for name in (kernel.facts.name, kernel.function))
    )
    if not kept:
        known = ", ".join(kernel.facts.name for kernel in found.kernels)
        raise refusal("only", names, f"take parts of {known}")
    return replace(found, kernels=kept)


def _write(folder: Path, found: Compiled, stages: Sequence[str]) -> None:
    for kernel in found.kernels:
        for stage in stages:
            path = folder / f"{kernel.function}.{SUFFIXES[stage]}"
            write(path, kernel.text[stage] + "\n")
            say("compile", f"{path} is written.")


def _count(options: Options, job: CompileJob) -> int:
    """Run once with counters, which is kept in the history as every run."""
    result = do_job(RunJob(job.problem, (), counters=True), RunResult, options.device)
    kept = keep_run("compile", result)
    if not result.counters:
        raise failed("counters", " ".join(map(str, result.notes)) or "no kernel was counted")
    give(run_document(result), counters_text(result), as_json=options.json)
    return OK if kept else FAILED


def counters_text(result: RunResult) -> str:
    """Format what the hardware counted, and where warps wait."""
    parts = [facts_table([(each.function, counted_facts(each)) for each in result.counters])]
    for each in result.counters:
        waited = ", ".join(f"{cycles} for {reason}" for reason, cycles in waits(each, SHOWN_PLACES))
        total = max(1, int(each.samples.sum()))
        places = [
            f"{place or 'no line'} {share(count / total)}"
            for place, count in list(each.by_place().items())[:SHOWN_PLACES]
        ]
        parts.append(
            f"{each.function}: a warp waits {waited} before each instruction; it is seen at"
            f" {', '.join(places)}"
        )
    return "\n\n".join(parts)


def _text(
    options: Options, found: Compiled, rest: Sequence[Compiled], stages: Sequence[str]
) -> str:
    if options.diff is not None:
        other, *rest = rest
        heads = unlike(found, other)
        parts = [_head(found), _facts([found, other], heads)]
        if not options.facts:
            parts.append(_roles([found, other], heads))
        if not options.facts or stages:
            parts += [_difference(found, other, stage) for stage in stages or ("sass",)]
        return "\n\n".join(parts + ([_facts(rest)] if rest else []))
    if options.architectures is not None:
        return f"{_head(found, rest)}\n\n{_facts(rest)}"
    if stages:
        return "\n\n".join(_titled(kernel, stage) for kernel in found.kernels for stage in stages)
    parts = [_head(found)]
    if options.facts or not options.check:
        parts.append(_facts([found]))
    if not (options.check or options.facts):
        parts.append(_roles([found]))
        parts += [
            section_text(section, kernel.function)
            for kernel in found.kernels
            for section in uses(kernel)
        ]
    if options.check or not options.facts:
        parts.append(section_text(locks([(kernel, kernel.function) for kernel in found.kernels])))
    return "\n\n".join(parts)


def _head(found: Compiled, each: Sequence[Compiled] = ()) -> str:
    resolved, architectures = found.resolved, ", ".join(one.architecture for one in each or [found])
    source = found.request.source
    settings = setting_text(resolved.launch, found.request.problem.launch.given())
    launch = f"strategy {resolved.launch.strategy}, {settings}"
    if source is not None:
        launch = ", ".join([source.place, *(f"{name}={value}" for name, value in source.settings)])
    head = f"{resolved.title}, {launch}, compiled for {architectures}"
    remarks = dict.fromkeys(why for kernel in found.kernels for why in kernel.facts.remarks)
    return "\n".join([head, *map(str, remarks)])


def _facts(compiled: Sequence[Compiled], heads: Sequence[Words] = ("",)) -> str:
    sides = zip(compiled, cycle(heads), strict=False)
    return facts_table(
        [
            (f"{kernel.facts.name} {head}".strip(), listing_facts(kernel))
            for each, head in sides
            for kernel in each.kernels
        ]
    )


def _roles(compiled: Sequence[Compiled], heads: Sequence[Words] = ("",)) -> str:
    """Format what the instructions of each kernel serve."""
    sides = list(zip(compiled, cycle(heads), strict=False))
    kernels = [(kernel, head) for each, head in sides for kernel in each.kernels]
    names = (f"{kernel.facts.name} {head}".strip() for kernel, head in kernels)
    rows = by_role([kernel for kernel, _ in kernels])
    return aligned([("instructions", *names), *(tuple(map(str, row)) for row in rows)])


def section_text(section: FactSection, kernel: str = "") -> str:
    lines = [f"{kernel}: {section.title}" if kernel else str(section.title), str(section.before)]
    for remark in section.remarks:
        place, text = remark.place or "no line", str(remark.text)
        parts = [place if place not in text else "", str(remark.mark), text]
        lines.append("  ".join(filter(None, parts)))
        lines += [f"    {words}" for words in remark.details]
    if not section.remarks:
        lines.append("none")
    return "\n".join(filter(None, [*lines, str(section.after)]))


def _titled(kernel: Listing, stage: str) -> str:
    comment = {"source": "#", "llir": ";"}.get(stage, "//")
    return f"{comment} {kernel.function}: {stage}\n{kernel.text[stage]}"


def _difference(found: Compiled, other: Compiled, stage: str) -> str:
    """Format the differences in a stage of each kernel, with some lines around them."""
    parts = []
    for one, two in zip_longest(found.kernels, other.kernels):
        if one is None or two is None:
            parts.append(f"--- {(one or two).function}: {stage} is on one side alone")
            continue
        left, right = one.stages[stage].lines, two.stages[stage].lines
        rows = beside(left, right, stage)
        changed = np.min(rows, axis=1, initial=0) < 0
        removed, added = (int((rows[:, side] < 0).sum()) for side in (1, 0))
        lines = [f"--- {one.function}: {stage}: {removed} lines removed, {added} added"]
        shown = {
            near for at in np.flatnonzero(changed) for near in range(at - CONTEXT, at + CONTEXT + 1)
        }
        before = -1
        for at, (a, b) in enumerate(rows):
            if at in shown:
                lines += ["…"] if before not in (at - 1, -1) else []
                lines.append(
                    f"- {left[a]}" if b < 0 else f"+ {right[b]}" if a < 0 else f"  {right[b]}"
                )
                before = at
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _document(found: Compiled, rest: Sequence[Compiled], stages: Sequence[str]) -> dict[str, Any]:
    document = {
        **_side(found, stages),
        "rule": str(RULE),
        "rule_limits": str(RULE_LIMITS),
    }
    return document | ({"compared": [_side(each, stages) for each in rest]} if rest else {})


def _side(found: Compiled, stages: Sequence[str]) -> dict[str, Any]:
    resolved, source = found.resolved, found.request.source
    return {
        "architecture": found.architecture,
        **({"file": source.place, "settings": dict(source.settings)} if source is not None else {}),
        "m": resolved.m,
        "n": resolved.n,
        "dtype": resolved.dtype,
        "norm": resolved.norm,
        "launch": to_plain(resolved.launch),
        "kernels": [_kernel(kernel, stages) for kernel in found.kernels],
    }


def _kernel(kernel: Listing, stages: Sequence[str]) -> dict[str, Any]:
    facts = to_plain(kernel.facts)
    del facts["texts"]
    return {
        "function": kernel.function,
        **facts,
        "remarks": [*map(str, kernel.facts.remarks)],
        "instructions": kernel.instructions,
        "roles": {name: len(lines) for name, lines in kernel.roles.items()},
        "spilling_instructions": len(kernel.spills),
        "live_registers": (
            None
            if kernel.live is None
            else {"peak": kernel.live.peak, "same_code": kernel.live.same}
        ),
        "memory": [_memory_document(kernel, use) for use in kernel.memory],
        "shared_memory": [
            {
                "purpose": str(use.purpose),
                "calls": _calls(kernel, use.stack),
                **{kind: len(getattr(use, kind)) for kind in ("stores", "loads", "barriers")},
            }
            for use in kernel.shared
        ],
        "locks": [_lock_document(kernel, release) for release in kernel.releases],
        **({"stages": {stage: kernel.text[stage] for stage in stages}} if stages else {}),
    }


def _lock_document(kernel: Listing, release: LockRelease) -> dict[str, Any]:
    lines = kernel.stages[release.stage].lines
    return {
        "stage": release.stage,
        "fault": bool(release.unguarded),
        "sentence": str(kernel.verdict(release)),
        "exchange": lines[release.exchange].strip(),
        "barriers": [lines[line].strip() for line in release.barriers],
        "unguarded_stores": [lines[line].strip() for line in release.unguarded],
    }


def _memory_document(kernel: Listing, use: MemoryUse) -> dict[str, Any]:
    plain = to_plain(use)
    del plain["stack"], plain["lines"]
    counted = {"count": len(use.lines), "coalesced": use.coalesced, "sentence": str(use.sentence())}
    return {**plain, "calls": _calls(kernel, use.stack), **counted}


def _calls(kernel: Listing, stack: int) -> list[str]:
    return [f"{file}:{line}" for file, line in kernel.calls(stack)]
