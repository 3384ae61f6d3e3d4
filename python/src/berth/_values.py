"""Values of programs as the file has them."""

import math
from typing import Any, Mapping

# Floats are exact up to here; what is beyond loses nothing by being one.
_EXACT = 1 << 53
_MAX_DEPTH = 32


def number(value: Any) -> Any:
    """A value as the file has it: a number, a truth value, or a word for what is none in JSON; None for no number."""
    if isinstance(value, bool):
        return value
    try:
        # Arrays and tensors of one element say so themselves, whatever library they are of.
        bare = value.item() if hasattr(value, "item") else value
        if isinstance(bare, (bool, int)) and abs(bare) <= _EXACT:
            return bare
        found = float(bare)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"
    except Exception:  # A tensor of a library that is not known here may raise anything.
        return None
    if math.isnan(found):
        return "NaN"
    return found if not math.isinf(found) else "Infinity" if found > 0 else "-Infinity"


def plain(value: Any, depth: int = 0) -> Any:
    """A parameter's value as JSON has it; what is none of its kinds is a text."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Mapping) and depth < _MAX_DEPTH:
        return {text(name): plain(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return text([number(each) if hasattr(each, "item") else each for each in value])
    if isinstance(value, int) and abs(value) > _EXACT:
        return text(value)
    found = number(value) if isinstance(value, (int, float)) or hasattr(value, "item") else None
    return text(value) if found is None else found


def text(value: Any) -> str:
    """A value as text, whatever it does when it is asked for one."""
    try:
        return str(value)
    except Exception:  # Anything may raise anything there.
        return shown(value)


def shown(value: Any) -> str:
    """A value for people, on one short line."""
    try:
        return ascii(value)[:80]
    except Exception:  # Its own text may raise anything.
        return "a " + type(value).__name__
