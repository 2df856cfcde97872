"""One word for one thing: the terms that every language has one word for, wherever they stand."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A term in English, and the one word for it in Simplified Chinese."""

    english: str
    forms: tuple[str, ...]  # as whole words, in small letters
    chinese: str
    never: tuple[str, ...] = ()  # other Chinese words for the same thing


GLOSSARY = (
    Term("normalization", ("normalization", "normalize", "normalized", "normalizes"), "归一化", ("标准化", "规范化", "正规化")),
    Term("reduction", ("reduction", "reductions"), "归约", ("规约", "约简", "化简", "归纳")),
    Term("buffer", ("buffer", "buffers"), "缓冲区", ("缓存区", "缓冲器", "缓冲池")),
    Term("lock", ("lock", "locks"), "锁", ("互斥量", "互斥体")),
    Term("bias", ("bias",), "偏置", ("偏差项", "偏移量")),
)
