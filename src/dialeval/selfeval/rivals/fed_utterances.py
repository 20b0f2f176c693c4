"""The follow-up utterances of FED (Mehri and Eskenazi, 2020), as its authors' code has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

TurnQuality: TypeAlias = Literal[
    "interesting",
    "engaging",
    "specific",
    "relevant",
    "correct",
    "semantically appropriate",
    "understandable",
    "fluent",
]
DialogueQuality: TypeAlias = Literal[
    "coherent",
    "error recovery",
    "consistent",
    "diverse",
    "depth",
    "likeable",
    "understanding",
    "flexible",
    "informative",
    "inquisitive",
]
TURN_QUALITIES: Final[tuple[TurnQuality, ...]] = get_args(TurnQuality)
DIALOGUE_QUALITIES: Final[tuple[DialogueQuality, ...]] = get_args(DialogueQuality)


class Utterances(NamedTuple):
    """What is said of a good response or dialogue, and of a bad one."""

    positive: tuple[str, ...]
    """None for qualities that people remark on only where they are lacking."""
    negative: tuple[str, ...]


UTTERANCES: Final[Mapping[TurnQuality | DialogueQuality, Utterances]] = {
    "interesting": Utterances(
        (
            "Wow that is really interesting.",
            "That's really interesting!",
            "Cool! That sounds super interesting.",
        ),
        ("That's not very interesting.", "That's really boring.", "That was a really boring response."),
    ),
    "engaging": Utterances(
        ("Wow! That's really cool!", "Tell me more!", "I'm really interested in learning more about this."),
        (
            "Let's change the topic.",
            "I don't really care. That's pretty boring.",
            "I want to talk about something else.",
        ),
    ),
    "specific": Utterances(
        ("That's good to know. Cool!", "I see, that's interesting.", "That's a good point."),
        ("That's a very generic response.", "Not really relevant here.", "That's not really relevant here."),
    ),
    "relevant": Utterances(
        (),
        (
            "That's not even related to what I said.",
            "Don't change the topic!",
            "Why are you changing the topic?",
        ),
    ),
    "correct": Utterances(
        (),
        (
            "You're not understanding me!",
            "I am so confused right now!",
            "I don't understand what you're saying.",
        ),
    ),
    "semantically appropriate": Utterances(
        ("That makes sense!", "You have a good point."),
        ("That makes no sense!",),
    ),
    "understandable": Utterances(
        ("That makes sense!", "You have a good point."),
        (
            "I don't understand at all!",
            "I'm so confused!",
            "That makes no sense!",
            "What does that even mean?",
        ),
    ),
    "fluent": Utterances(
        ("That makes sense!", "You have a good point."),
        ("Is that real English?", "I'm so confused right now!", "That makes no sense!"),
    ),
    "coherent": Utterances(
        (),
        ("You're making no sense at all.", "You're changing the topic so much!", "You are so confusing."),
    ),
    "error recovery": Utterances(
        (),
        ("I am so confused right now.", "You're really confusing.", "I don't understand what you're saying."),
    ),
    "consistent": Utterances((), ("That's not what you said earlier!", "Stop contradicting yourself!")),
    "diverse": Utterances(
        (),
        (
            "Stop saying the same thing repeatedly.",
            "Why are you repeating yourself?",
            "Stop repeating yourself!",
        ),
    ),
    "depth": Utterances((), ("Stop changing the topic so much.", "Don't change the topic!")),
    "likeable": Utterances(
        ("I like you!", "You're super polite and fun to talk to", "Great talking to you."),
        ("You're not very nice.", "You're not very fun to talk to.", "I don't like you."),
    ),
    "understanding": Utterances(
        (),
        (
            "You're not understanding me!",
            "What are you trying to say?",
            "I don't understand what you're saying.",
        ),
    ),
    "flexible": Utterances(
        ("You're very easy to talk to!", "Wow you can talk about a lot of things!"),
        ("I don't want to talk about that!", "Do you know how to talk about something else?"),
    ),
    "informative": Utterances(
        (
            "Thanks for all the information!",
            "Wow that's a lot of information.",
            "You know a lot of facts!",
        ),
        ("You're really boring.", "You don't really know much."),
    ),
    "inquisitive": Utterances(
        ("You ask a lot of questions!", "That's a lot of questions!"),
        ("You don't ask many questions.", "You don't seem interested."),
    ),
}
"""By quality, those of single turns first."""
