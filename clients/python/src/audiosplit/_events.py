"""Server-sent events (WHATWG HTML), as far as the API uses them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MAX_LINE_BYTES = 1_048_576


@dataclass(frozen=True)
class Event:
    type: str
    data: str


class EventParser:
    """Takes bytes as they come. A line without an end is not gathered for ever."""

    def __init__(self) -> None:
        #: Of the last event that had one.
        self.last_id = ""
        self.retry_seconds: float | None = None
        self._rest = b""
        self._type = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        # The API ends lines with LF; a CR before it is of a proxy.
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise ValueError("a line of the event stream does not end")
        for line in lines:
            event = self._read(line.rstrip(b"\r").decode("utf-8", "replace"))
            if event is not None:
                yield event

    def _read(self, line: str) -> Event | None:
        if line == "":
            event = Event(self._type or "message", "\n".join(self._data)) if self._data else None
            self._type, self._data = "", []
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._type = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            self.retry_seconds = int(value) / 1_000
        return None
