"""Reads the server's JSON: fields of the kind that they must have, or a BerthError."""

import json
from typing import Any, Dict, List, Mapping, Optional

from ._errors import bad_answer

Object = Dict[str, Any]

_SHOWN = 80


def parsed(body: bytes) -> Object:
    """The object that a body is."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise bad_answer("no JSON, but %r" % body[:_SHOWN]) from None
    if not isinstance(value, dict):
        raise bad_answer("no object, but %r" % body[:_SHOWN])
    return value


def text(of: Mapping[str, Any], field: str) -> str:
    value = of.get(field)
    if not isinstance(value, str):
        raise _wrong(field, value)
    return value


def whole(of: Mapping[str, Any], field: str) -> int:
    value = of.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(field, value)
    return value


def whole_or_none(of: Mapping[str, Any], field: str) -> Optional[int]:
    return None if of.get(field) is None else whole(of, field)


def objects(of: Mapping[str, Any], field: str) -> List[Object]:
    value = of.get(field)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _wrong(field, value)
    return value


def texts(of: Mapping[str, Any], field: str) -> List[str]:
    value = of.get(field)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(field, value)
    return value


def text_map(of: Mapping[str, Any], field: str) -> Dict[str, str]:
    """The texts by their names; empty where the field is null or missing."""
    value = of.get(field)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise _wrong(field, value)
    return dict(value)


def number(value: Any, field: str) -> float:
    """A number, or one of the words that stand for those JSON has none for."""
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(field, value)
    return float(value)


def _wrong(field: str, value: Any) -> Exception:
    return bad_answer("its field %s is %s" % (field, repr(value)[:_SHOWN]))
