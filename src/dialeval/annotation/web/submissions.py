"""Reader of posted answers: the fields of an HTML form, or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from dialeval.annotation.store.plan import storable
from dialeval.annotation.web.sessions import Denied

OWN = ("item", "revision", "seconds", "csrf", "text")
"""Fields of every form, beside those of its kinds."""


class Submission(NamedTuple):
    """An answer as it was posted, unchecked but for its shape."""

    item: str
    revision: int
    seconds: float | None
    answers: dict[str, dict[str, object]]
    csrf: str | None = None
    text: str = ""


async def posted_form(request: Request) -> Submission:
    """The answer in an HTML form, whose fields are ``CRITERION.FIELD``."""
    try:
        form = await request.form(max_files=0, max_fields=5000)
    except HTTPException:
        raise Denied(400, "bad_request") from None
    answers: dict[str, dict[str, object]] = {}
    for name in form:
        criterion, dot, part = name.rpartition(".")
        if dot and name not in OWN:
            values = [storable(str(value)) for value in form.getlist(name)]
            answers.setdefault(criterion, {})[part] = values[0] if len(values) == 1 else values
    plain = {name: _text(form, name) for name in OWN}
    return _posted(plain, answers)


async def posted_json(request: Request) -> Submission:
    """The answer in JSON."""
    try:
        content = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise Denied(400, "bad_request") from None
    if not isinstance(content, Mapping):
        raise Denied(400, "bad_request")
    given = content.get("answers", {})
    if not isinstance(given, Mapping):
        raise Denied(400, "bad_request")
    try:
        answers = {
            storable(str(criterion)): _whole(
                dict(fields) if isinstance(fields, Mapping) else {"value": fields}
            )
            for criterion, fields in given.items()
        }
    except RecursionError:  # deeper than any answer, though not than JSON may be
        raise Denied(400, "bad_request") from None
    return _posted(content, answers)


def _posted(fields: Mapping[str, object], answers: dict[str, dict[str, object]]) -> Submission:
    try:
        revision = int(str(fields.get("revision") or 0))
        seconds = float(str(fields["seconds"])) if fields.get("seconds") not in (None, "") else None
    except ValueError:
        raise Denied(400, "bad_request") from None
    if seconds is not None and not 0 <= seconds < 1e7:
        seconds = None
    csrf = fields.get("csrf")
    return Submission(
        storable(str(fields.get("item") or "")),
        revision,
        seconds,
        answers,
        None if csrf is None else storable(str(csrf)),
        storable(str(fields.get("text") or "")),
    )


def _whole(value: Any) -> Any:
    """JSON without halves of characters, which a browser sends when it cuts a text in the middle of an emoji."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): _whole(part) for name, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list) else value


def _text(form: FormData, name: str) -> str | None:
    value = form.get(name)
    return value if isinstance(value, str) else None
