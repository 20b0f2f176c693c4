"""Chats of people as Slack, Discord, Telegram and Instagram export them: one dialogue for each channel or chat.

Who writes first is the user and everyone else the assistant, each with their name; bots are the assistant. Messages of
the service itself (somebody joined, a call) are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, file_of, is_stdin, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, as_kind
from dialeval.data.importers.exports.calls import Left, seconds
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, rows, table, word
from dialeval.data.types import Dialogue, Kind, Record, Turn
from dialeval.display.wording import count
from dialeval.errors import BadInput

KINDS: Final = CONVERSATION
MEDIA: Final = "[media]"
"""The text of a message that is a picture, a sound or a file."""
_TODO: Final = "Export the chat again."


class Message(NamedTuple):
    """A message of a chat."""

    author: str
    text: str
    time: float
    bot: bool = False


class Chat(NamedTuple):
    """A channel, or a talk of two or more people."""

    item: str
    messages: Sequence[Message]
    where: Where


def _chat_records(
    chats: Sequence[Chat], kind: Kind, on_bad: OnBad, path: str, name: str, left: Left
) -> Iterator[Record]:
    said = sum(len(chat.messages) for chat in chats)
    told = f"; left out: {words}" if (words := left.told()) else ""
    if said:
        tell(path, f"read as {name}: {count(said, 'message')} of {count(len(chats), 'chat')}{told}")
    for chat in chats:
        ordered = sorted(chat.messages, key=lambda message: message.time)
        if not ordered:
            continue
        people = [message.author for message in ordered if not message.bot]
        first = people[0] if people else ""
        turns = [
            Turn(
                "user" if message.author == first and not message.bot else "assistant",
                message.text,
                message.author,
            )
            for message in ordered
        ]
        try:
            yield from as_kind(Dialogue(chat.item, tuple(turns)), kind, chat.where)
        except BadInput as error:
            on_bad(BadLine(error, chat.item))


def _listed(
    values: Sequence[object],
    row: Row,
    parse: Callable[[Mapping[str, object], Where, str], Message | None],
    on_bad: OnBad,
    left: Left,
) -> list[Message]:
    """The messages of a list; one that cannot be read goes to ``on_bad``."""
    told = []
    for at, value in enumerate(values):
        field = f"messages[{at}]"
        try:
            message = parse(entry(value, row.where, field), row.where, field)
        except BadInput as error:
            on_bad(BadLine(error, str(value)[:1000]))
            continue
        if message is None:
            left["message: of the service itself, or empty"] += 1
        else:
            told.append(message)
    return told


def _time(value: object, where: Where, field: str) -> float:
    moment = seconds(value)
    if not moment:
        raise bad(where, field, f"the time {value!r}", "seconds since 1970, or ISO 8601", _TODO)
    return moment


def read_discord(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The channel that DiscordChatExporter wrote as JSON."""

    def parse(message: Mapping[str, object], where: Where, field: str) -> Message | None:
        if message.get("type") not in ("Default", "Reply", None, 0, 19):
            return None
        author = table(message, "author", where, field)
        text = word(message, "content")
        if not text and any(message.get(name) for name in ("attachments", "embeds", "stickers")):
            text = MEDIA
        name = word(author, "nickname", "name", "id")
        if not name:
            raise bad(where, f"{field}.author", "no author", "an object with 'name'", _TODO)
        bot = author.get("isBot") is True or author.get("bot") is True
        return Message(name, text, _time(message.get("timestamp"), where, f"{field}.timestamp"), bot)

    left = Left()
    chats = [
        Chat(
            word(table(fields, "channel", row.where), "id", "name") or str(row.number),
            _listed(listing(fields, "messages", row.where), row, parse, on_bad, left),
            row.where,
        )
        for row, fields in objects(source, on_bad)
    ]
    yield from _chat_records(chats, kind, on_bad, shown(source), "discord", left)


def read_telegram(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The chat, or all chats, that Telegram Desktop wrote as JSON."""

    def parse(message: Mapping[str, object], where: Where, field: str) -> Message | None:
        if message.get("type") != "message":
            return None
        given = message.get("text")
        parts = given if isinstance(given, list) else [given]
        text = "".join(
            part if isinstance(part, str) else word(part, "text") if isinstance(part, Mapping) else ""
            for part in parts
        )
        if not text and any(
            message.get(name) for name in ("media_type", "photo", "file", "location_information")
        ):
            text = MEDIA
        name = word(message, "from", "from_id") or "deleted account"
        moment = message.get("date_unixtime") or message.get("date")
        return Message(name, text, _time(moment, where, f"{field}.date"))

    left = Left()
    chats = []
    for row, fields in objects(source, on_bad):
        held = fields.get("chats")
        several = listing(held, "list", row.where, "chats") if isinstance(held, Mapping) else [fields]
        for at, each in enumerate(several):
            chat = entry(each, row.where, f"chats.list[{at}]")
            messages = _listed(listing(chat, "messages", row.where), row, parse, on_bad, left)
            chats.append(Chat(word(chat, "id", "name") or str(at + 1), messages, row.where))
    yield from _chat_records(chats, kind, on_bad, shown(source), "telegram", left)


def read_instagram(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A chat of Instagram or Messenger (``message_1.json``), whose newest message comes first."""

    def parse(message: Mapping[str, object], where: Where, field: str) -> Message | None:
        name = word(message, "sender_name")
        if not name:
            raise bad(where, f"{field}.sender_name", "no author", "text", _TODO)
        text = word(message, "content")
        if not text and not any(
            message.get(each) for each in ("photos", "videos", "audio_files", "share", "sticker")
        ):
            return None
        moment = _time(message.get("timestamp_ms"), where, f"{field}.timestamp_ms")
        return Message(_mended(name), _mended(text) or MEDIA, moment)

    left = Left()
    chats = []
    for row, fields in objects(source, on_bad):
        messages = _listed(listing(fields, "messages", row.where)[::-1], row, parse, on_bad, left)
        item = word(fields, "thread_path") or _mended(word(fields, "title")) or str(row.number)
        chats.append(Chat(item, messages, row.where))
    yield from _chat_records(chats, kind, on_bad, shown(source), "instagram", left)


def _mended(text: str) -> str:
    """The text; Meta writes each byte of UTF-8 as a character of its own."""
    if not any("\x80" <= letter <= "\xff" for letter in text):
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text


_MENTION: Final = re.compile(r"<@([UW][A-Z0-9]*)(?:\|([^>]*))?>")
_LINK: Final = re.compile(r"<((?:https?|mailto):[^|>]*)(?:\|([^>]*))?>")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def read_slack(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The channels of an unpacked export, whose days are files; or the messages of one such file."""
    left = Left()
    folder = Path(source) if not is_stdin(source) and Path(source).is_dir() else None
    names = _slack_names(folder or (file_of(source).parent.parent if not is_stdin(source) else None))

    def parse(message: Mapping[str, object], where: Where, field: str) -> Message | None:
        kept = ("bot_message", "thread_broadcast", "file_share", "me_message", None)
        if message.get("type") != "message" or message.get("subtype") not in kept:
            return None
        who = word(message, "user", "bot_id", "username")
        profile = message.get("user_profile")
        own = word(profile, "display_name", "real_name", "name") if isinstance(profile, Mapping) else ""
        text = _slack_text(word(message, "text"), names)
        text = text or (MEDIA if message.get("files") or message.get("attachments") else "")
        if not text:
            return None
        bot = message.get("subtype") == "bot_message" or (
            bool(word(message, "bot_id")) and not word(message, "user")
        )
        name = names.get(who) or own or word(message, "username") or who
        return Message(name or "somebody", text, _time(message.get("ts"), where, f"{field}.ts"), bot)

    chats = []
    for item, files in _slack_files(source, folder).items():
        messages: list[Message] = []
        where = Where(str(files[0]), 1)
        for file in files:
            for row in rows(file, on_bad):
                listed = row.fields if isinstance(row.fields, list) else [row.fields]
                messages += _listed(listed, row, parse, on_bad, left)
        chats.append(Chat(item, messages, where))
    yield from _chat_records(
        [chat for chat in chats if chat.messages], kind, on_bad, shown(source), "slack", left
    )


def _slack_files(source: Source, folder: Path | None) -> Mapping[str, Sequence[Source]]:
    """The files of each channel, by day; of a single file its folder's name."""
    if folder is None:
        return {"slack" if is_stdin(source) else (file_of(source).resolve().parent.name or "slack"): [source]}
    channels = sorted(path for path in folder.iterdir() if path.is_dir())
    found = {channel.name: sorted(channel.glob("*.json")) for channel in channels}
    return {name: list(files) for name, files in found.items() if files}


def _slack_names(folder: Path | None) -> Mapping[str, str]:
    """The name of each member, as far as ``users.json`` is there."""
    path = folder / "users.json" if folder is not None else None
    if path is None or not path.is_file():
        return {}
    names = {}
    for _, fields in objects(path, refuse):
        profile = fields.get("profile")
        shown_name = word(profile, "display_name", "real_name") if isinstance(profile, Mapping) else ""
        names[word(fields, "id")] = shown_name or word(fields, "real_name", "name")
    return names


def _slack_text(text: str, names: Mapping[str, str]) -> str:
    text = _MENTION.sub(lambda match: f"@{names.get(match[1]) or match[2] or match[1]}", text)
    text = _LINK.sub(lambda match: match[2] or match[1], text)
    for entity, letter in _ENTITIES:
        text = text.replace(entity, letter)
    return text
