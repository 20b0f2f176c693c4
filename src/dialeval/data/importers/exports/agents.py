"""Sessions of agent frameworks: eval sets and sessions of Google's ADK, trackers of Rasa, bare lists of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, file_of, is_stdin, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, as_kind
from dialeval.data.importers.exports.calls import Left
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, rows, word
from dialeval.data.importers.exports.messages import Message, messages_in, turns
from dialeval.data.importers.exports.scores import ANNOTATION, Score, judgements
from dialeval.data.types import Dialogue, Kind, Record
from dialeval.errors import BadInput

KINDS: Final = CONVERSATION
KINDS_OF_FEEDBACK: Final[tuple[Kind, ...]] = ("judgement",)
_TODO: Final = "Export the file again."


def read_adk(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each case of an eval set, or for each session."""
    for row, fields in objects(source, on_bad):
        cases = listing(fields, "eval_cases", row.where) if "eval_cases" in fields else [fields]
        for at, each in enumerate(cases):
            field = f"eval_cases[{at}]"
            try:
                case = entry(each, row.where, field)
                messages = (
                    _adk_events(case, row.where) if "events" in case else _adk_case(case, row.where, field)
                )
                item = word(case, "eval_id", "id") or str(at + 1)
                system = word(case, "app_name", "appName")
                dialogue = Dialogue(item, turns(messages, row.where, field), system)
                yield from as_kind(dialogue, kind, row.where)
            except BadInput as error:
                on_bad(BadLine(error, field))


def _adk_case(case: Mapping[str, object], where: Where, field: str) -> list[Message]:
    told: list[Message] = []
    for at, each in enumerate(listing(case, "conversation", where, field)):
        place = f"{field}.conversation[{at}]"
        turn = entry(each, where, place)
        asked = messages_in(_bare(turn.get("user_content"), "user"), "user")
        if asked is None:
            raise bad(where, f"{place}.user_content", "no content", "an object with 'parts'", _TODO)
        told += asked
        between = turn.get("intermediate_data")
        held = between if isinstance(between, Mapping) else {}
        uses = [entry(use, where, f"{place}.tool_uses") for use in listing(held, "tool_uses", where, place)]
        if uses:
            parts = [{"function_call": dict(use)} for use in uses]
            told += messages_in({"role": "model", "parts": parts}) or []
        for answer in listing(held, "tool_responses", where, place):
            told += messages_in({"role": "user", "parts": [{"function_response": answer}]}) or []
        for event in listing(held, "invocation_events", where, place):
            content = event.get("content") if isinstance(event, Mapping) else None
            told += messages_in(_bare(content, "model")) or []
        told += messages_in(_bare(turn.get("final_response"), "model"), "assistant") or []
    return told


def _bare(content: object, role: str) -> object:
    """A content without the parts' empty fields; its role, if it has none."""
    if not isinstance(content, Mapping):
        return content
    parts = content.get("parts")
    kept = [
        {name: value for name, value in part.items() if value is not None}
        if isinstance(part, Mapping)
        else part
        for part in (parts if isinstance(parts, list) else [])
    ]
    return {"role": content.get("role") or role, "parts": [part for part in kept if part]}


def _adk_events(session: Mapping[str, object], where: Where) -> list[Message]:
    told: list[Message] = []
    for at, each in enumerate(listing(session, "events", where)):
        event = entry(each, where, f"events[{at}]")
        author = word(event, "author")
        found = messages_in(_bare(event.get("content"), "user" if author == "user" else "model")) or []
        for message in found:
            named = author if message["role"] == "assistant" and author not in ("model", "") else ""
            told.append({**message, **({"name": named} if named else {})})
    return told


def read_rasa(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each tracker: what users wrote and bots said; of a bot without texts, the names of its replies."""
    left = Left()
    for row, fields in objects(source, on_bad):
        try:
            events = [
                entry(each, row.where, f"events[{at}]")
                for at, each in enumerate(listing(fields, "events", row.where))
            ]
            spoken = any(event.get("event") == "bot" for event in events)
            messages = [
                message for event in events if (message := _rasa(event, left, spoken=spoken)) is not None
            ]
            item = word(fields, "sender_id") or str(row.number)
            metadata = fields.get("model_id")
            system = metadata if isinstance(metadata, str) else ""
            yield from as_kind(Dialogue(item, turns(messages, row.where, "events"), system), kind, row.where)
        except BadInput as error:
            on_bad(BadLine(error, row.raw))
    if told := left.told():
        tell(shown(source), f"read as rasa; left out: {told}")


def _rasa(event: Mapping[str, object], left: Left, *, spoken: bool) -> Message | None:
    kind = event.get("event")
    if kind == "user":
        return {"role": "user", "content": word(event, "text")}
    if kind == "bot":
        data = event.get("data")
        held = data if isinstance(data, Mapping) else {}
        shown_as = next((name for name in ("image", "attachment", "custom") if held.get(name)), "")
        return {"role": "assistant", "content": word(event, "text") or (f"[{shown_as}]" if shown_as else "")}
    if kind == "action" and not spoken and word(event, "name").startswith("utter_"):
        return {"role": "assistant", "content": word(event, "action_text") or f"[{word(event, 'name')}]"}
    left[f"event: {kind}"] += 1
    return None


def read_messages(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The one conversation that a file is, a list of messages."""
    listed: list[Message] = []
    where = Where(shown(source), 1)
    for row in rows(source, on_bad):
        found = _message(row)
        listed += found
    item = "conversation" if is_stdin(source) else file_of(source).name.partition(".")[0]
    if listed:
        yield from as_kind(Dialogue(item, turns(listed, where, "messages")), kind, where)


def _message(row: Row) -> Sequence[Message]:
    found = messages_in(row.fields) if isinstance(row.fields, dict) else None
    if found is None:
        raise bad(row.where, "role", "no message", "an object with 'role' and 'content'", _TODO)
    return found


def read_feedback(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A reviewer's verdicts on conversations: 1 for pass, 0 for fail, with the comment and its codes."""
    scores = []
    for row, fields in objects(source, on_bad):
        for at, each in enumerate(listing(fields, "feedback", row.where)):
            field = f"feedback[{at}]"
            try:
                verdict = entry(each, row.where, field)
                scores.append(_verdict(verdict, row.where, field))
            except BadInput as error:
                on_bad(BadLine(error, field))
    yield from judgements(scores, shown(source))


def _verdict(verdict: Mapping[str, object], where: Where, field: str) -> Score:
    item = word(verdict, "conversation_id")
    if not item:
        raise bad(where, f"{field}.conversation_id", "no conversation", "text", _TODO)
    codes = [code for code in listing(verdict, "codes", where, field) if isinstance(code, str)]
    noted = word(verdict, "comment") + (f" [{', '.join(codes)}]" if codes else "")
    rater = word(verdict, "reviewer", "rater", "annotator") or ANNOTATION
    label = word(verdict, "verdict")
    return Score(item, word(verdict, "model"), "verdict", "person", None, rater, noted, label)
