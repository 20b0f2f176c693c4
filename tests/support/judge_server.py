"""Replies of a scripted judge: verdicts with probabilities that are known, JSON with the request's tag, faults."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

from support.bot_server import Raw


def tag_of(body: Mapping) -> str:
    """The tag in the first line of the user message."""
    return re.match(r"Tag: (\w+)\n", body["messages"][1]["content"])[1]


def data_of(body: Mapping) -> dict:
    """What is to be judged, as the request has it between its two lines."""
    tag = tag_of(body)
    text = body["messages"][1]["content"]
    found = re.fullmatch(rf"Tag: {tag}\nBEGIN {tag}\n(.*)\nEND {tag}\nGive your verdict now.", text)
    assert found, text
    return json.loads(found[1])


def response_of(body: Mapping) -> str:
    """The response, or the last turn of a dialogue."""
    data = data_of(body)
    return data.get("response", data["conversation"][-1].get("text", "") if data["conversation"] else "")


def spread(*places: Mapping[str, float], text: str | None = None, finish: str = "stop") -> dict:
    """A reply of one token a place, the likeliest, with the probability of each alternative."""
    tokens = [max(place, key=place.__getitem__) for place in places]
    content = [
        {
            "token": token,
            "logprob": math.log(place[token]),
            "top_logprobs": [{"token": word, "logprob": math.log(p)} for word, p in place.items()],
        }
        for token, place in zip(tokens, places, strict=True)
    ]
    return said("".join(tokens) if text is None else text, finish, logprobs={"content": content})


def verdict(body: Mapping, score: object, reason: str = "As it is.", **more: object) -> dict:
    """A JSON verdict on the request, in the form that it asks for."""
    text = json.dumps({"tag": tag_of(body), "reason": reason, "score": score, **more})
    return called(text) if "tools" in body else said(text)


def said(text: str | None, finish: str = "stop", model: str = "judge-2026-11-01", **choice: object) -> dict:
    message = {"role": "assistant", "content": text}
    return _body({"index": 0, "message": message, "finish_reason": finish, **choice}, model)


def called(arguments: str) -> dict:
    """A reply that calls the tool."""
    call = {"id": "1", "type": "function", "function": {"name": "verdict", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return _body({"index": 0, "message": message, "finish_reason": "tool_calls"}, "judge-2026-11-01")


def _body(choice: dict, model: str) -> dict:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"model": model, "choices": [choice], "usage": usage}


def refusing(message: str, status: int = 400) -> Raw:
    """A refusal as OpenAI words it."""
    error = {"error": {"message": message, "type": "invalid_request_error"}}
    return Raw(json.dumps(error).encode(), status)


def chances(likely: Sequence[float], first: int = 1) -> dict[str, float]:
    """Probabilities of the scores from ``first`` on."""
    return {str(first + place): p for place, p in enumerate(likely)}
