"""Sends requests, repeats those that may be, and turns refusals into errors."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._errors import UnexpectedAnswer, connection_failed, read_refusal
from ._flow import Answer, Flow, Open, Read, Request, Send
from ._retries import Retries, RetryPolicy
from ._version import __version__

Secret: TypeAlias = "str | Callable[[], str]"
COMMON_HEADERS = {"User-Agent": f"audiosplit-python/{__version__}"}
MAX_ERROR_BYTES = 65_536


class Transport:
    def __init__(
        self,
        base_url: str,
        *,
        api_key: Secret | None,
        access_token: Secret | None,
        policy: RetryPolicy,
    ) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.netloc or "@" in url.netloc or url.query or url.fragment:
            raise ValueError(f"base_url {base_url!r} is not the address of an installation")
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._access_token = access_token
        self.policy = policy

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        of_account: bool = False,
    ) -> Flow[Any]:
        """Of the API; results in the answer's JSON. Jobs take the API key, what is of the account the access token."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        headers = self.headers(of_account)
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or uuid.uuid4().hex
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = Request(
            method,
            self.url(path) + (f"?{urlencode(given)}" if given else ""),
            headers,
            None if body is None else json.dumps(body, allow_nan=False).encode(),
        )
        answer = yield from self.send(request)
        if answer.status == 204:
            return None
        try:
            return json.loads(answer.body)
        except ValueError as cause:
            message = f"HTTP {answer.status} with a body that is not JSON"
            raise UnexpectedAnswer(message, status=answer.status) from cause

    def send(self, request: Request, *, is_repeatable: bool = True) -> Flow[Answer]:
        """Results in an answer of 2xx."""
        retries = Retries(request.method, self.policy if is_repeatable else RetryPolicy(max_retries=0))
        while True:
            try:
                answer: Answer = yield Send(request)
                error = read_refusal(answer)
            except httpx.TransportError as cause:
                error = connection_failed(cause, request.url)
            else:
                if answer.status < 300:
                    return answer
            yield from retries.after(error)

    def open(self, request: Request, silence_seconds: float) -> Flow[Answer]:
        """One try; results in an answer of 2xx whose body is for Read."""
        try:
            answer: Answer = yield Open(request, silence_seconds)
            if answer.status < 300:
                return answer
            body = b""
            while len(body) < MAX_ERROR_BYTES and (chunk := (yield Read())):
                body += chunk
        except httpx.TransportError as cause:
            raise connection_failed(cause, request.url) from cause
        raise read_refusal(Answer(answer.status, answer.headers, body))

    def url(self, path: str) -> str:
        return self._base_url + path

    def headers(self, of_account: bool = False) -> dict[str, str]:
        """With the credential; links are fetched without."""
        headers = {**COMMON_HEADERS, "Accept": "application/json"}
        if of_account and self._access_token is not None:
            headers["Authorization"] = f"Bearer {_reveal(self._access_token)}"
        if not of_account and self._api_key is not None:
            headers["X-API-Key"] = _reveal(self._api_key)
        return headers


def path_segment(value: str) -> str:
    """Raises ValueError for what would name another resource."""
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} is not an id")
    return quote(value, safe="")


def _reveal(secret: Secret) -> str:
    return secret if isinstance(secret, str) else secret()
