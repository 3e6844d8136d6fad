"""Notifications: signed as Standard Webhooks 1.0 lays down, and verified before they are believed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

TOLERANCE_SECONDS = 300


class InvalidSignature(Exception):
    """The notification is not of the installation, too old, or changed on its way."""


def verify(headers: Mapping[str, str], body: bytes | str, secrets: str | Sequence[str]) -> dict[str, Any]:
    """The event, a dict with `type`, `timestamp` and `data`. Raises InvalidSignature.

    `body` is what has arrived, not yet parsed. While a secret is replaced, give both.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = sent.get("webhook-id", ""), sent.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdecimal()):
        raise InvalidSignature("there is no timestamp")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidSignature("the timestamp is more than five minutes off")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{timestamp}.".encode() + content
    keys = [_key_of(each) for each in ([secrets] if isinstance(secrets, str) else secrets)]
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    given = sent.get("webhook-signature", "").encode().split()
    # All are compared, so that the time says nothing.
    if not any([hmac.compare_digest(one, other) for one in given for other in expected]):
        raise InvalidSignature("no signature is by a secret that was given")
    event: dict[str, Any] = json.loads(content)
    return event


def _key_of(secret: str) -> bytes:
    return base64.b64decode(secret.removeprefix("whsec_"))
