"""Frozen data types, and one reader per format.

    for example in read("responses.jsonl", "example"):
        print(example.item, example.response.text)

``read`` and ``write`` stream; ``FORMATS`` lists what can be read; docs/files.md describes our own files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.data.codec.bad import BadLine, OnBad, SideFile, Where, refuse
    from dialeval.data.codec.decode import decode
    from dialeval.data.codec.encode import canonical, digest, encode, subject_line, subject_lines
    from dialeval.data.formats import FORMATS, Format
    from dialeval.data.importers.text import read_texts
    from dialeval.data.prompts import prompt_of, read_prompts, with_references
    from dialeval.data.reader import kind_of, read, read_guessing
    from dialeval.data.surveys import Survey, survey
    from dialeval.data.types import (
        Answer,
        Assertion,
        Candidate,
        Context,
        Dialogue,
        Example,
        Judgement,
        Kind,
        NBest,
        Prompt,
        Question,
        Record,
        Response,
        Turn,
        Usage,
    )
    from dialeval.data.writer import write
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = [
    "FORMATS",
    "Answer",
    "Assertion",
    "BadLine",
    "Candidate",
    "Context",
    "Dialogue",
    "Example",
    "Format",
    "Judgement",
    "Kind",
    "NBest",
    "OnBad",
    "Prompt",
    "Question",
    "Record",
    "Response",
    "SideFile",
    "Survey",
    "Turn",
    "Usage",
    "Where",
    "canonical",
    "decode",
    "digest",
    "encode",
    "kind_of",
    "prompt_of",
    "read",
    "read_guessing",
    "read_prompts",
    "read_texts",
    "refuse",
    "subject_line",
    "subject_lines",
    "survey",
    "with_references",
    "write",
]
