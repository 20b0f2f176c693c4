"""Chats that WhatsApp exports as text: a line for each message, dated in either style, and lines of WhatsApp itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.sources import Source, file_of, is_stdin, lines, shown
from dialeval.data.importers.conversation import KINDS as CONVERSATION, as_kind
from dialeval.data.types import Dialogue, Kind, Record, Turn
from dialeval.display.wording import count
from dialeval.errors import BadInput

KINDS: Final = CONVERSATION

_MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\ufeff"
"""Signs of direction, which WhatsApp puts before names, media and notes of its own."""
_MARK: Final = "\u200e"
_EDITED: Final = re.compile(rf"(?:(?<!\s)\s+)?{_MARK}<[^<>\n]+>$")
"""Mark behind a message that was edited."""
_DATE: Final = (
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?,?\s+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s*[AaPp]\.?\s?[Mm]\.?)?"
)
HEADER: Final = re.compile(rf"(?:\[{_DATE}\]\s?|{_DATE}\s[-\u2013]\s)(?P<rest>.*)", re.DOTALL)
"""The first line of a message: ``[18/11/2026, 09:30:12] Anna: Hi`` or ``11/18/26, 9:30 AM - Anna: Hi``."""
_SPOKEN: Final = re.compile(r"(?P<author>[^:\n]{1,80}):(?: (?P<text>.*)|$)", re.DOTALL)
_KINDS: Final = (
    "image|photo|video|video note|audio|voice message|sticker|gif|document|contact card|media"
    "|bild|videonachricht|dokument|kontaktkarte|medien|vidéo|fiche contact|médias?"
    "|imagen|documento|tarjeta de contacto|archivo|multimedia|immagine|scheda contatto"
    "|imagem|vídeo|áudio|figurinha|cartão do contato|mídia|arquivo de mídia"
    "|afbeelding|contactkaart"
)
_LEFT_OUT: Final = (
    "omitted|weggelassen|ausgelassen|ausgeschlossen|absente?|manquant|retirée?|omise?|omitid[oa]s?|omess[oaie]"
    "|esclus[oaie]|non inclus[oaie]|ocultad[oa]|ocult[oa]|weggelaten"
)
_FILES: Final = (
    "file attached|datei angehängt|fichier joint|archivo adjunto|file allegato|arquivo anexado"
    "|bestand bijgevoegd"
)
_ATTACHED: Final = "attached|anhang|pièce jointe|adjunto|allegato|anexado|bijgevoegd"
_NAMED: Final = r"[^<>\n]+\.\w{1,5}"
_MEDIA: Final = re.compile(
    rf"<?(?:{_NAMED} • .+)?(?:{_KINDS}) (?:{_LEFT_OUT})>?|<(?:{_ATTACHED}) ?: {_NAMED}>|{_NAMED} \((?:{_FILES})\)",
    re.IGNORECASE,
)
"""Notes that stand for media: in English, German, French, Spanish, Italian, Portuguese and Dutch."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The chat as one dialogue: who writes first is the user, everyone else the assistant, each with their name.

    A message may have several lines. Media are the text ``[media]``. Lines of WhatsApp itself are left out and counted.
    """
    chat = _Chat()
    for number, text in lines(source, on_bad, expected="a chat of WhatsApp"):
        try:
            chat.add(text, Where(shown(source), number))
        except BadInput as error:
            on_bad(BadLine(error, text))
    chat.close()
    if not chat.turns:
        return
    told = ", ".join(f"{name} ({role})" for name, role in chat.roles.items())
    aside = f"; {count(chat.others, 'line')} of WhatsApp itself left out" if chat.others else ""
    tell(shown(source), f"read as whatsapp: {count(len(chat.turns), 'message')} of {told}{aside}")
    item = "chat" if is_stdin(source) else file_of(source).stem
    dialogue = Dialogue(item, tuple(chat.turns))
    try:
        yield from as_kind(dialogue, kind, Where(shown(source)))
    except BadInput as error:
        on_bad(BadLine(error, dialogue.turns[-1].text))


class _OpenMessage(NamedTuple):
    """A message whose lines are being read."""

    author: str
    lines: list[str]


class _Chat:
    """The messages of a chat, line by line."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.roles: dict[str, str] = {}
        """Role of each author, in the order in which they first write."""
        self.others = 0
        self._open: _OpenMessage | None = None
        self._aside = False
        """Whether a line of WhatsApp itself goes on."""

    def add(self, line: str, where: Where) -> None:
        """Take in a line."""
        text = _clean(line)
        header = HEADER.fullmatch(text)
        if header is None:
            self._add_line(text, where)
            return
        self.close()
        spoken = _SPOKEN.fullmatch(_clean(header["rest"]))
        self._aside = spoken is None or _is_note(spoken["text"] or "")
        if spoken is None or self._aside:
            self.others += 1
            return
        self._open = _OpenMessage(_clean(spoken["author"]).strip(), [_clean(spoken["text"] or "")])

    def close(self) -> None:
        """End the message that is open."""
        if self._open is None:
            return
        author, said = self._open
        text = "\n".join(said).strip()
        text = text if _MEDIA.fullmatch(text) else _EDITED.sub("", text)
        role = self.roles.setdefault(author, "assistant" if self.roles else "user")
        self.turns.append(Turn(role, "[media]" if _MEDIA.fullmatch(text) else text, author))
        self._open = None

    def _add_line(self, text: str, where: Where) -> None:
        if self._open is not None:
            self._open.lines.append(text)
        elif text.strip() and not self._aside:
            found = repr(text[:40])
            todo = "Export the chat again, or name the format of the file with --from."
            raise BadInput(where.path, found, "a dated message, as WhatsApp exports it", todo, where.line)


def _is_note(text: str) -> bool:
    """Whether WhatsApp itself wrote this under somebody's name, as it marks it: that all is encrypted, a missed call.

    It marks media, places and polls alike, which are what somebody sent.
    """
    return text.startswith(_MARK) and not (
        _MEDIA.fullmatch(_clean(text)) or "://" in text or text.rstrip().endswith(":")
    )


def _clean(text: str) -> str:
    """The text without signs of direction at its beginning, and with plain spaces."""
    return text.rstrip("\r\n").lstrip(_MARKS).replace("\u202f", " ").replace("\u00a0", " ")
