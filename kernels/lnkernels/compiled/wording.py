"""An exception in one line, that of a compiler among them. Standard library only."""


def causes(error: BaseException | None) -> list[BaseException]:
    """An exception and what led to it, the first cause last."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def sentence(error: BaseException) -> str:
    """The exception in one line.

    A compiler's error begins with a place in the source, and ends with what is wrong there. Triton raises one for each function
    on the way to the fault, and only the innermost says what it is.
    """
    error = (
        [one for one in causes(error) if type(one) is type(error)][-1] if type(error).__name__ == "CompilationError" else error
    )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return f"{type(error).__name__}: {lines[-1] if lines[0].endswith(':') else lines[0]}"
