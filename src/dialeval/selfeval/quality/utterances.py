"""Utterances, written for this purpose, by whose likeness a reaction is known to be puzzled or pleased."""

from __future__ import annotations

from typing import Final

PUZZLED: Final = (
    "What are you talking about?",
    "That doesn't make any sense.",
    "That's not what I asked.",
    "You already said that.",
    "You didn't answer my question.",
    "I don't understand you.",
    "Are you a robot?",
    "You are weird.",
    "Stop repeating yourself.",
    "Huh? What?",
    "I just told you that.",
    "That has nothing to do with what I said.",
)
PLEASED: Final = (
    "That's really interesting!",
    "Wow, that's so cool!",
    "I love that too!",
    "Haha, that's funny!",
    "It was nice talking to you.",
    "Tell me more about it!",
    "That makes sense.",
    "You're right, good point.",
    "That sounds great!",
    "Thanks, that is very helpful.",
)
