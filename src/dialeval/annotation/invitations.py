"""Invitations of raters, and tokens of links and sessions, all derived from the study's secret by HMAC-SHA256.

A store holds only the hash of a rater's token. Those who have the study folder can print the links again; the database
alone opens none of them. A revoked link never works again: the next generation of tokens has nothing in common with it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import NamedTuple

from dialeval.annotation.project import Project
from dialeval.annotation.store.store import Store


def rater_token(secret: bytes, rater: str, generation: int) -> str:
    """Token of a rater's invitation link: 192 bits."""
    return _derived(secret, "rater", rater, str(generation))


def owner_token(secret: bytes) -> str:
    """Token of the owner's link."""
    return _derived(secret, "owner")


def entry_token(secret: bytes, platform: str) -> str:
    """Token of the link that a crowd platform sends its workers to."""
    return _derived(secret, "entry", platform)


def hashed(token: str) -> str:
    """A token as the store keeps it. Tokens are random, so that a plain hash cannot be searched backwards."""
    return hashlib.sha256(token.encode()).hexdigest()


def signed(secret: bytes, purpose: str, value: str) -> str:
    """The value with a signature that only the holder of the secret can make."""
    return f"{value}.{_derived(secret, 'signed', purpose, value)}"


def unsigned(secret: bytes, purpose: str, text: str) -> str | None:
    """The value of a signed text; None if the signature is not ours."""
    value, _, _ = text.rpartition(".")
    return value if value and same(text, signed(secret, purpose, value)) else None


def csrf_token(secret: bytes, session: str) -> str:
    """Token that every form of a session must post back."""
    return _derived(secret, "csrf", session)


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that says nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def _derived(secret: bytes, *parts: str) -> str:
    message = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


class Invitation(NamedTuple):
    """A rater, and what stands in their link."""

    rater: str
    token: str

    @property
    def path(self) -> str:
        """The link below the study's address."""
        return f"/r/{self.token}"


def invite(project: Project, store: Store, name: str) -> Invitation:
    """Invite a rater; one who was revoked gets a new link. The store holds the token's hash alone."""
    rater = store.add_rater(name)
    if rater.state == "revoked":
        store.reinstate(rater)
    token = rater_token(project.secret, rater.name, rater.generation)
    if rater.token_hash != hashed(token):
        store.set_token(rater, hashed(token))
    return Invitation(rater.name, token)


def invite_all(project: Project, store: Store) -> list[Invitation]:
    """The invitations of all raters of the study who were not revoked, those of the owner's page included."""
    known = [rater for rater in store.raters() if rater.origin == "invited"]
    revoked = {rater.name for rater in known if rater.state == "revoked"}
    names = dict.fromkeys((*project.settings.raters, *(rater.name for rater in known)))
    return [invite(project, store, name) for name in names if name not in revoked]


def owner_path(project: Project) -> str:
    """The owner's link below the study's address."""
    return f"/o/{owner_token(project.secret)}"


def crowd_path(project: Project) -> str | None:
    """The link to give to a crowd platform, with the parameters it fills in; None if none is configured."""
    crowd = project.settings.crowd
    if crowd is None:
        return None
    token = entry_token(project.secret, crowd.platform)
    if crowd.platform == "mturk":
        return f"/mturk/{token}"
    parameters = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    return f"/prolific/{token}?{parameters}"
