"""Readers of published sets of contradictions: DECODE, ProSeCCo, CI-ToD and rgm-contradiction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dialeval.consistency.pairs.types import Label, LabelledPair, Pair
from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import text, wrong
from dialeval.errors import BadInput
from dialeval.files.folders import is_plain_name
from dialeval.files.foreign import read_json

_DECODE: Final[Mapping[str, Label]] = {"0": "contradiction", "1": "consistent"}
"""The published file has 0 for a contradiction."""
_PROSECCO: Final[Mapping[str, Label]] = {
    "self-contradiction": "contradiction",
    "no self-contradiction": "consistent",
}


def decode(fields: Mapping[str, object], where: Where) -> list[LabelledPair]:
    """A pair of DECODE (Nie et al., 2021) from a table of predictions, in which 0 means a contradiction."""
    label = _among(_DECODE, fields, where)
    return [
        LabelledPair(Pair(text(fields, "seg1", where, ""), text(fields, "seg2", where, "")), label, "decode")
    ]


def decode_dialogue(fields: Mapping[str, object], where: Where) -> list[LabelledPair]:
    """Pairs of a dialogue of DECODE as its authors publish it: the last turn with earlier ones of its speaker.

    If the last turn contradicts, each turn that the raters name as evidence makes a contradiction. If not, one earlier
    turn makes a consistent pair, drawn by the content, so that every run draws the same; the others stand beside it.
    The group is the split, which the name of the file says.
    """
    todo = "Give the published dialogues."
    turns, evidence = fields["turns"], fields["aggregated_contradiction_indices"]
    if not isinstance(turns, list) or not all(_is_turn(turn) for turn in turns) or not turns:
        raise wrong(where, "turns", turns, "a list of turns with 'agent_id' and 'text'", todo)
    if type(fields["is_contradiction"]) is not bool:
        raise wrong(where, "is_contradiction", fields["is_contradiction"], "true or false", todo)
    if not isinstance(evidence, list) or not all(
        type(each) is int and 0 <= each < len(turns) for each in evidence
    ):
        raise wrong(where, "aggregated_contradiction_indices", evidence, "positions among the turns", todo)
    last = turns[-1]
    own = [place for place, turn in enumerate(turns[:-1]) if turn["agent_id"] == last["agent_id"]]
    named = [place for place in own if place in evidence]
    contradicts = fields["is_contradiction"]
    if contradicts:
        chosen = named
    else:
        key = "\n".join(turn["text"] for turn in turns).encode()
        chosen = own and [own[int.from_bytes(hashlib.sha256(key).digest()[:8], "big") % len(own)]]
    between = turns[-2]["text"] if len(turns) > 1 and turns[-2]["agent_id"] != last["agent_id"] else ""
    label: Label = "contradiction" if contradicts else "consistent"
    others = [place for place in own if place not in (named if contradicts else chosen)]
    return [
        LabelledPair(
            Pair(turns[place]["text"], last["text"], between),
            label,
            "decode",
            Path(where.path).name.split(".")[0],
            others=tuple(turns[other]["text"] for other in others),
        )
        for place in chosen
    ]


def _is_turn(turn: object) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("text"), str) and "agent_id" in turn


def prosecco(fields: Mapping[str, object], where: Where) -> list[LabelledPair]:
    """A pair of ProSeCCo: two things that a speaker said in a debate, by their propositions where words need them.

    Locutions are what was said; propositions say the same with pronouns resolved. The latter are taken where they
    exist, since the debate around a pair is not in the set.
    """
    said = [
        text(fields, f"proposition_{number}", where, "") or text(fields, f"locution_{number}", where, "")
        for number in (1, 2)
    ]
    speaker = str(fields.get("speaker_id", ""))
    return [LabelledPair(Pair(*said), _among(_PROSECCO, fields, where), "prosecco", speaker)]


def ci_tod(fields: Mapping[str, object], where: Where) -> list[LabelledPair]:
    """The last turn of a task dialogue of CI-ToD against the speaker's turn before.

    A contradiction of the history (``hi``) is one here. One that contradicts only the question (``qi``) or the
    knowledge base is neither a contradiction of the speaker's own words nor a clean negative, and gives no pair.
    """
    turns = fields["turns"]
    if not isinstance(turns, list) or not all(isinstance(turn, dict) and "text" in turn for turn in turns):
        raise wrong(where, "turns", turns, "a list of turns with 'text'", "Give the published dialogues.")
    if len(turns) < 4 or (fields["qi"] and not fields["hi"]):
        return []
    earlier, between, response = (str(turn["text"]).replace("_", " ") for turn in turns[-3:])
    label: Label = "contradiction" if fields["hi"] else "consistent"
    return [LabelledPair(Pair(earlier, response, between), label, "ci-tod")]


class RgmResponses:
    """rgm-contradiction (Sato, 2024): contexts in one file, responses of each system in another."""

    def __init__(self, contexts: Path) -> None:
        parents = contexts.resolve().parents
        self.folder = next(
            (parent / "responses" for parent in parents if (parent / "responses").is_dir()), None
        )
        self.texts: dict[str, Mapping[str, str]] = {}

    def read(self, fields: Mapping[str, object], where: Where) -> list[LabelledPair]:
        """The judged pair; nothing where the response's text was not published.

        Two or three raters of three make a contradiction, none makes a consistent pair (the set has no others).
        """
        response = self.response(fields, where)
        if response is None:
            return []
        utterances, todo = _utterances(fields, where), "Give the published contexts."
        pair, votes = fields.get("annotation_target_pair"), fields.get("contradictory_label_count")
        if not isinstance(pair, list) or not pair or pair[0] not in range(len(utterances)):
            raise wrong(where, "annotation_target_pair", pair, "two positions", todo)
        if type(votes) is not int:
            raise wrong(where, "contradictory_label_count", votes, "a whole number", todo)
        between = str(utterances[-2]) if len(utterances) > 1 else ""
        label: Label = "contradiction" if votes >= 2 else "consistent"
        judged = Pair(str(utterances[pair[0]]), response, between)
        speakers = fields.get("speakers")
        others = (
            tuple(
                str(said)
                for place, (said, speaker) in enumerate(zip(utterances[:-1], speakers, strict=False))
                if place != pair[0] and speaker == speakers[-1]
            )
            if isinstance(speakers, list)
            else ()
        )
        return [LabelledPair(judged, label, "rgm", text(fields, "rgm_name", where, ""), votes, others)]

    def response(self, fields: Mapping[str, object], where: Where) -> str | None:
        """The text of the response whose id is the last utterance; None where it was not published."""
        if self.folder is None:
            todo = "Keep the folder 'responses' beside 'contexts', as published."
            raise BadInput(where.path, "no folder 'responses'", "the texts of the responses", todo)
        last = str(_utterances(fields, where)[-1])
        system = last.removeprefix("[[").partition(":")[0]
        if system not in self.texts:
            name = f"{system}.json"
            known = is_plain_name(name) and (self.folder / name).is_file()
            self.texts[system] = _texts_in(self.folder / name) if known else {}
        return self.texts[system].get(last)


def _utterances(fields: Mapping[str, object], where: Where) -> list[object]:
    given = fields.get("utterances")
    if not isinstance(given, list) or not given:
        raise wrong(where, "utterances", given, "a list of utterances", "Give the published contexts.")
    return given


def _texts_in(file: Path) -> Mapping[str, str]:
    expected, todo = "an object of texts by id", "Fetch the published responses again."
    texts = read_json(file, expected, todo)
    if not isinstance(texts, dict) or not all(isinstance(said, str) for said in texts.values()):
        raise BadInput(str(file), f"{type(texts).__name__}, or values that are not text", expected, todo)
    return texts


def _among(table: Mapping[str, Label], fields: Mapping[str, object], where: Where) -> Label:
    given = text(fields, "label", where, "")
    if given not in table:
        raise wrong(where, "label", given, f"one of {', '.join(table)}", "Give the published file.")
    return table[given]
