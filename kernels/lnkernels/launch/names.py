"""What a provider can be called: its name stands in commands, in files and in tables."""

import re

NAME_ALLOWED = "take letters, digits, _ . and -, at most 60"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}")


def is_provider_name(name: str) -> bool:
    """Whether strategies and other LayerNorms can be called so."""
    return _NAME.fullmatch(name) is not None
