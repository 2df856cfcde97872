"""Find the kernels of CUDA that a user's file brings along in a library, such as one built by
`torch.utils.cpp_extension.load_inline`, and read their facts with the tools that come with Triton.
"""

import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from lnkernels.compiled.launches import assemble, disassembled, run_tool
from lnkernels.triton_internals import tool
from lnkernels.values.compiled import KernelFacts

_OTHERS = ("/torch/lib/", "/triton/", "/nvidia/")  # whose kernels are nobody's own
_USAGE = re.compile(r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)")
_SECTION = re.compile(r"^//-+ \.text\.(\w+) +-+$", re.MULTILINE)
_ENTRY = re.compile(r"^\.visible \.entry (\w+)\(.*?^}$", re.MULTILINE | re.DOTALL)


def loaded_libraries() -> frozenset[str]:
    """Return the libraries with kernels of CUDA that this process has loaded."""
    mapped = Path("/proc/self/maps").read_text().splitlines()
    files = {line.partition("/")[2] for line in mapped if ".so" in line}
    return frozenset(
        f"/{file}"
        for file in files
        if not any(folder in f"/{file}" for folder in _OTHERS)
        and Path(f"/{file}").is_file()
        and b".nv_fatbin" in Path(f"/{file}").read_bytes()
    )


def kernels_in(library: str, architecture: str) -> list[KernelFacts]:
    """Return the kernels of a library for an architecture such as "sm_90", with their PTX and SASS;
    assembled from PTX, where the library has no code for it. What a launch decides is not known.
    """
    with tempfile.TemporaryDirectory(prefix="lnkernels-") as folder:
        for kind in ("-xelf", "-xptx"):
            command = [tool("cuobjdump"), kind, "all", str(Path(library).resolve())]
            subprocess.run(command, cwd=folder, capture_output=True, check=False)
        written = sorted(Path(folder).glob("*.ptx"))
        if not any(Path(folder).glob(f"*.{architecture}*.cubin")):
            for file in written:
                assemble(file, architecture)  # by the newest assembler, as nvcc may be as new
        cubins = [
            file.read_bytes() for file in sorted(Path(folder).glob(f"*.{architecture}*.cubin"))
        ]
        ptx = _entries(written)
    found, names = list[KernelFacts](), Counter[str]()
    for cubin in cubins:
        _, *parts = _SECTION.split(disassembled(cubin))
        code = dict(zip(parts[::2], parts[1::2], strict=True))
        for symbol, *usage in _USAGE.findall(run_tool("cuobjdump", cubin, "-res-usage")):
            registers, stack, shared = map(int, usage)
            name = plain_name(symbol)
            names[name] += 1
            found.append(
                KernelFacts(
                    name=name if names[name] == 1 else f"{name} {names[name]}",
                    architecture=architecture,
                    grid=(),
                    num_warps=0,
                    registers=registers,
                    spill_bytes=stack,
                    shared_bytes=shared,
                    occupancy=None,
                    texts={"ptx": ptx.get(symbol, ""), "sass": code.get(symbol, "")},
                )
            )
    return found


def plain_name(symbol: str) -> str:
    """Return the function's name of a symbol of C++: _ZN4mine4rowsIfEvPKf is rows."""
    name, rest = symbol, re.sub("^_ZN?", "", symbol)
    while rest != symbol and (length := re.match(r"\d+", rest)):
        end = length.end() + int(length[0])
        name, rest = rest[length.end() : end], rest[end:]
    return name


def _entries(files: list[Path]) -> dict[str, str]:
    """Return the text of each kernel of files of PTX, below what the files begin with."""
    texts = [file.read_text() for file in files]
    return {
        entry[1]: text.partition(".visible")[0].strip() + "\n" + entry[0]
        for text in texts
        for entry in _ENTRY.finditer(text)
    }
