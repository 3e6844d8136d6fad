"""What the client raises. Each code of the API has a class of its own in `audiosplit.errors`."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar

import httpx

from ._flow import Answer


class AudiosplitError(Exception):
    """The API refused, answered with something else than the API does, or could not be reached."""

    #: By code. Filled by the subclasses.
    classes: ClassVar[dict[str, type[AudiosplitError]]] = {}
    code: str = ""

    def __init_subclass__(cls, code: str = "") -> None:
        if code:
            cls.code = code
            AudiosplitError.classes[code] = cls

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        details: list[dict[str, str]] | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: HTTP status; 0 where there was no answer.
        self.status = status
        #: With INVALID_PARAMS: what is wrong with which field.
        self.details = details or []
        #: Seconds after which the request may pass, where the API says so.
        self.retry_after = retry_after
        self.request_id = request_id


class ConnectionFailed(AudiosplitError, code="CONNECTION_FAILED"):
    """No answer came."""


class UnexpectedAnswer(AudiosplitError, code="UNEXPECTED_ANSWER"):
    """The answer is not the API's, such as the page of a proxy."""


class JobFailedError(Exception):
    """The job that was waited for has failed. This is about the audio, not about a call."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.code: str = job["error"]["code"]
        super().__init__(f"job {job['id']} failed: {job['error']['message']}")


def connection_failed(cause: Exception, url: str) -> ConnectionFailed:
    host = httpx.URL(url).netloc.decode("ascii")
    said = "did not answer in time" if isinstance(cause, httpx.TimeoutException) else f"cannot be reached ({cause})"
    error = ConnectionFailed(f"{host} {said}")
    error.__cause__ = cause
    return error


def read_refusal(answer: Answer) -> AudiosplitError:
    """Of an answer whose status is not of 2xx."""
    known: dict[str, Any] = {
        "status": answer.status,
        "retry_after": read_retry_after(answer.headers.get("retry-after", "")),
        "request_id": answer.headers.get("x-request-id"),
    }
    try:
        refusal = json.loads(answer.body)["error"]
        code, message = refusal["code"], refusal["message"]
    except (ValueError, KeyError, TypeError):
        text = answer.body[:200].decode("utf-8", "replace") or "(no body)"
        return UnexpectedAnswer(f"HTTP {answer.status} without an error of the API: {text}", **known)
    error = AudiosplitError.classes.get(code, AudiosplitError)(message, details=refusal.get("details"), **known)
    error.code = code
    return error


def read_retry_after(text: str) -> float | None:
    """RFC 9110, section 10.2.3: seconds, or a date."""
    if re.fullmatch(r"\d+", text):
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())
