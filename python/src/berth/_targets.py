"""Where jobs can go."""

from typing import List, NamedTuple, Optional

from . import _json
from ._http import Server, usual
from ._json import Object


class Target(NamedTuple):
    """Where jobs can go: this machine's own queue, ``scheduler``, or an engine that the operator set up.

    Attributes:
        name: what ``submit(..., target=...)`` takes
        kind: ``Berth``, ``Slurm`` or ``Kubernetes``
        state: ``ok``, ``unwell`` or ``unreachable``
        sentence: how it is
        capacity: what it can hold, in words; empty where it does not say
        order: how jobs follow each other there
        open: whether you may submit there
        at_once: how many jobs it is given at the same time, the others wait here; None for no such bound
        jobs: how many of the jobs that you may see it has and have not ended
    """

    name: str
    kind: str
    state: str
    sentence: str
    capacity: str
    order: str
    open: bool
    at_once: Optional[int]
    jobs: int


def targets(server: Optional[Server] = None) -> List[Target]:
    """Where jobs can go, this machine's own queue first.

    Raises:
        BerthError: the server cannot be reached.
    """
    at = usual() if server is None else server
    return [_target(each) for each in _json.objects(at.call("GET", "/targets"), "targets")]


def _target(view: Object) -> Target:
    return Target(
        name=_json.text(view, "name"),
        kind=_json.text(view, "kind"),
        state=_json.text(view, "state"),
        sentence=_json.text(view, "sentence"),
        capacity=_json.text(view, "capacity"),
        order=_json.text(view, "order"),
        open=view.get("open") is True,
        at_once=_json.whole_or_none(view, "atOnce"),
        jobs=_json.whole(view, "jobs"),
    )
