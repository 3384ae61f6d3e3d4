"""What a job's program has told, as the server answers it."""

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from . import _json
from ._errors import bad_answer
from ._json import Object


class Point(NamedTuple):
    """One value of a metric.

    Attributes:
        step: whole number that the program gave, or that was counted from 0
        time: when it was logged, ISO 8601 in UTC
        value: may be NaN or infinite
    """

    step: int
    time: str
    value: float


@dataclass(frozen=True)
class Metric:
    """What is known of a metric without its curve.

    Attributes:
        count: how many points there are
        last: the newest point
        min: the lowest point; None where all are NaN
        max: the highest point; None where all are NaN
    """

    name: str
    count: int
    last: Point
    min: Optional[Point]
    max: Optional[Point]


def metric_of(view: Object) -> Metric:
    """A metric of a tracking answer."""
    last = view.get("last")
    if not isinstance(last, dict):
        raise bad_answer("a metric without a last point")
    return Metric(
        _json.text(view, "name"),
        _json.whole(view, "count"),
        _point(last),
        None if view.get("min") is None else _point(view["min"]),
        None if view.get("max") is None else _point(view["max"]),
    )


def points_of(view: Object) -> List[Point]:
    """The points of a piece of a curve."""
    return [_point(point) for point in _json.objects(view, "points")]


def _point(view: Mapping[str, Any]) -> Point:
    return Point(_json.whole(view, "step"), _json.text(view, "time"), _json.number(view.get("value"), "value"))


def params_of(view: Object, tracking: Object) -> Dict[str, str]:
    """The parameters of a job's view and its tracking answer."""
    return dict(_json.text_map(view, "parameters"), **_json.text_map(tracking, "params"))


def tags_of(view: Object, tracking: Object) -> Dict[str, str]:
    """The tags of a job's view and its tracking answer."""
    tags = {word: "" for word in _json.texts(view, "tags")}
    return dict(tags, **_json.text_map(tracking, "tags"))
