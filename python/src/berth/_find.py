"""Finds jobs."""

from typing import List, Optional, Union
from urllib.parse import quote, urlencode

from . import _json
from ._http import Server, usual
from ._job import Job

_MAX_PAGE = 1000


def job(id: Union[int, str], server: Optional[Server] = None) -> Job:
    """The job of this number: ``42``, or ``"42_7"`` for task 7 of array 42.

    Raises:
        BerthError: ``JOB_NOT_FOUND`` where there is none, or it is another user's.
    """
    at = usual() if server is None else server
    return Job(at, at.call("GET", "/jobs/" + quote(str(id), safe="")))


def jobs(
    project: Optional[str] = None,
    state: Optional[str] = None,
    name: Optional[str] = None,
    user: Optional[str] = None,
    array: Optional[int] = None,
    scope: Optional[str] = None,
    where: Optional[str] = None,
    limit: int = 1000,
    server: Optional[Server] = None,
    text: Optional[str] = None,
    tag: Optional[str] = None,
    sort: Optional[str] = None,
) -> List[Job]:
    """The jobs that these conditions hold for, the newest first unless sorted; fields that lists leave out are None.

    Args:
        state: one or more states, joined by commas
        user: whose; administrators see those of others
        array: only the tasks of this array that have had their turn
        scope: ``all`` (default), ``active`` (the order of the queue) or ``ended``
        where: a condition on what they told, as in ``acc>0.9 and lr=0.01``; tasks of arrays are among them then
        limit: how many at most
        text: a text in their number, name, project or one of their tags, in upper or lower case
        tag: a tag that they have, as ``name`` or ``name=value``
        sort: the order of a column, as ``duration`` or ``duration:desc``; not of tasks of an array

    Raises:
        BerthError: the server refuses, or cannot be reached.
    """
    at = usual() if server is None else server
    said = {"project": project, "state": state, "name": name, "user": user, "array": array, "scope": scope or "all"}
    column, colon, direction = (sort or "").partition(":")
    said.update(text=text, tag=tag, sort=column or None, order=direction if colon else None)
    query = {key: str(value) for key, value in said.items() if value is not None}
    target = "/jobs?"
    if where is not None:
        target = "/tracked?"
        query["where"] = where
    found: List[Job] = []
    while len(found) < limit:
        query["limit"] = str(min(_MAX_PAGE, limit - len(found)))
        page = at.call("GET", target + urlencode(query))
        found.extend(Job(at, view) for view in _json.objects(page, "jobs"))
        cursor = _json.whole_or_none(page, "next")
        if cursor is None:
            break
        query["cursor"] = str(cursor)
    return found[:limit]


def best(
    metric: str,
    highest: bool = True,
    project: Optional[str] = None,
    where: Optional[str] = None,
    by_last: bool = False,
    limit: int = 10,
    server: Optional[Server] = None,
) -> List[Job]:
    """The jobs with the best values of a metric, tasks of arrays among them, the best first.

    Args:
        highest: whether the highest value is the best, and not the lowest
        where: as for ``jobs``
        by_last: whether the last value of a job counts, and not its best
        limit: how many at most, up to 1000

    Raises:
        BerthError: ``NO_SUCH_METRIC`` where none of them told this metric; the server refuses, or cannot be reached.
    """
    at = usual() if server is None else server
    query = {"best": metric, "order": "max" if highest else "min", "limit": str(limit)}
    query.update({key: value for key, value in (("project", project), ("where", where)) if value is not None})
    if by_last:
        query["last"] = "true"
    return [Job(at, view) for view in _json.objects(at.call("GET", "/tracked?" + urlencode(query)), "jobs")]
