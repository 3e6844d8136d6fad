"""What the client does, without how it waits.

A flow is a generator that yields effects and is sent their results. The sync and the async client run the same flows, each
by its own means, so that there is one text of every rule.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import httpx

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Called for each try.
    body: Callable[[], Iterator[bytes]] | bytes | None = None
    follow_redirects: bool = False


@dataclass(frozen=True)
class Answer:
    status: int
    headers: httpx.Headers
    #: Empty where it is still to be read.
    body: bytes = b""


@dataclass(frozen=True)
class Send:
    """Results in an Answer with its body. Raises httpx.TransportError."""

    request: Request


@dataclass(frozen=True)
class Open:
    """Results in an Answer whose body is for Read. Closes what was open before."""

    request: Request
    silence_seconds: float


@dataclass(frozen=True)
class Read:
    """Results in the next bytes of what is open; none at its end. Raises httpx.TransportError."""


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Run:
    """Results in what the call gives. It may take its time: it reads or writes a file."""

    call: Callable[[], Any]


Effect: TypeAlias = "Send | Open | Read | Sleep | Run"
Flow: TypeAlias = Generator[Effect, Any, T]
