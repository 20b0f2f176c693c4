"""Tokens of links and sessions, all derived from the study's secret by HMAC-SHA256.

A store holds only the hash of a rater's token. Those who have the study folder can print the links again; the database
alone opens none of them. A revoked link never works again: the next generation of tokens has nothing in common with it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac


def rater_token(secret: bytes, rater: str, generation: int) -> str:
    """What stands in a rater's invitation link: 192 bits."""
    return _derived(secret, "rater", rater, str(generation))


def owner_token(secret: bytes) -> str:
    """What stands in the owner's link."""
    return _derived(secret, "owner")


def entry_token(secret: bytes, platform: str) -> str:
    """What stands in the link that a crowd platform sends its workers to."""
    return _derived(secret, "entry", platform)


def hashed(token: str) -> str:
    """A token as the store keeps it. Tokens are random, so that a plain hash cannot be searched backwards."""
    return hashlib.sha256(token.encode()).hexdigest()


def signed(secret: bytes, purpose: str, value: str) -> str:
    """The value with a signature that only the holder of the secret can make."""
    return f"{value}.{_derived(secret, 'signed', purpose, value)}"


def unsigned(secret: bytes, purpose: str, text: str) -> str | None:
    """The value of a signed text; None where the signature is not ours."""
    value, _, _ = text.rpartition(".")
    return value if value and same(text, signed(secret, purpose, value)) else None


def csrf_token(secret: bytes, session: str) -> str:
    """What every form of a session must post back."""
    return _derived(secret, "csrf", session)


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that says nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def _derived(secret: bytes, *parts: str) -> str:
    message = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()
