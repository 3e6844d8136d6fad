"""Follows a job to its end.

The stream of the job's events is the first choice. One that breaks off or falls silent is opened again with the id of the
last event seen. Where streams lead nowhere the job is asked for instead, at growing intervals.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx

from ._errors import AudiosplitError, JobFailedError, connection_failed
from ._events import EventParser
from ._flow import Flow, Read, Request, Sleep
from ._transport import Transport, path_segment

#: Three of the API's heartbeats.
SILENCE_SECONDS = 45.0
RECONNECT_SECONDS = 2.0
MAX_FRUITLESS_STREAMS = 3
POLL_SECONDS = 2.0
MAX_POLL_SECONDS = 15.0

OnProgress = Callable[[int], None]


def wait_for_job(transport: Transport, job_id: str, on_progress: OnProgress | None) -> Flow[Any]:
    path = f"/api/v1/splits/{path_segment(job_id)}"
    highest = -1

    def report(progress: int) -> None:
        nonlocal highest
        if progress > highest and on_progress is not None:
            on_progress(progress)
        highest = max(highest, progress)

    yield from _follow_streams(transport, path, report)
    every = POLL_SECONDS
    while True:
        job = yield from transport.call("GET", path)
        if job["status"] == "completed":
            return job
        if job["status"] == "failed":
            raise JobFailedError(job)
        if job["status"] == "processing":
            report(job["progress"])
        yield Sleep(every)
        every = min(every * 1.5, MAX_POLL_SECONDS)


def _follow_streams(transport: Transport, path: str, report: Callable[[int], None]) -> Flow[None]:
    """To the job's end, or as far as streams lead. What would be refused again is raised."""
    parser = EventParser()
    fruitless = 0
    while fruitless < MAX_FRUITLESS_STREAMS:
        fruitless += 1
        pause = 0.0
        try:
            headers = {**transport.headers(), "Accept": "text/event-stream"}
            if parser.last_id:
                headers["Last-Event-ID"] = parser.last_id
            answer = yield from transport.open(Request("GET", transport.url(f"{path}/events"), headers), SILENCE_SECONDS)
            # 204: the last event id is that of the job's end.
            if answer.status == 204:
                return
            while chunk := (yield Read()):
                for event in parser.feed(chunk):
                    fruitless = 0
                    if event.type in ("completed", "failed"):
                        return
                    if event.type == "progress":
                        report(json.loads(event.data)["progress"])
        except (httpx.TransportError, ValueError) as cause:
            del cause
        except AudiosplitError as error:
            if error.code in ("TOO_MANY_STREAMS", "UNEXPECTED_ANSWER"):
                return
            if error.status not in (0, 429) and error.status < 500:
                raise
            pause = error.retry_after or 0.0
        yield Sleep(min(max(pause, parser.retry_seconds or RECONNECT_SECONDS), transport.policy.max_delay))
