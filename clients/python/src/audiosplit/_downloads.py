"""Segments as files. A file under its final name is complete; what has come of another stays, and is gone on with."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import httpx

from ._errors import AudiosplitError, UnexpectedAnswer, connection_failed
from ._flow import Answer, Flow, Read, Request, Run
from ._retries import Retries
from ._transport import COMMON_HEADERS, Transport, path_segment

#: A server does not choose in which folder we write.
PLAIN_NAME = re.compile(r"(?!\.{1,2}\Z)[^\x00-\x1f\x7f-\x9f/\\:]{1,255}\Z")
SILENCE_SECONDS = 60.0
PARTIAL_CONTENT = 206


def download_job(
    transport: Transport,
    job_id: str,
    to: str | os.PathLike[str],
    *,
    overwrite: bool,
    on_bytes: Callable[[int], None] | None,
) -> Flow[list[Path]]:
    """Results in the paths, in the order of the segments."""
    folder = Path(to)
    segments = yield from _read_segments(transport, job_id)
    paths = [folder / plain_name(segment) for segment in segments]
    yield Run(lambda: folder.mkdir(parents=True, exist_ok=True))
    if not overwrite:
        for path, segment in zip(paths, segments):
            if (yield Run(lambda: _is_other(path, segment["size"]))):
                raise FileExistsError(f"{path} exists: choose another folder, or overwrite=True")
    received = 0

    def count(size: int) -> None:
        nonlocal received
        received += size
        if on_bytes is not None:
            on_bytes(received)

    for index, path in enumerate(paths):
        part = folder / f".part-{path_segment(job_id)}-{index}"
        try:
            yield from _fetch(transport, segments[index], part, count)
        except AudiosplitError as error:
            # Links end; the job has fresh ones.
            if error.code != "DOWNLOAD_EXPIRED":
                raise
            segments = yield from _read_segments(transport, job_id)
            yield from _fetch(transport, segments[index], part, count)
        yield Run(lambda: part.replace(path))
    return paths


def plain_name(segment: dict[str, Any]) -> str:
    """Raises ValueError for a name that would lead elsewhere."""
    name = segment["fileName"]
    if not isinstance(name, str) or PLAIN_NAME.match(name) is None:
        raise ValueError(f"segment {segment['index']} came without a usable file name: {name!r}")
    return name


def _read_segments(transport: Transport, job_id: str) -> Flow[list[dict[str, Any]]]:
    job = yield from transport.call("GET", f"/api/v1/splits/{path_segment(job_id)}")
    if job["status"] != "completed":
        raise ValueError(f"job {job_id} is {job['status']}: wait for its end before its segments")
    segments: list[dict[str, Any]] = job["segments"]
    if any("downloadUrl" not in segment for segment in segments):
        raise ValueError(f"job {job_id} is a dry run: it makes no files")
    return segments


def _is_other(path: Path, size: int) -> bool:
    """A file of the same size is the segment, of an earlier call."""
    return path.exists() and path.stat().st_size != size


def _fetch(transport: Transport, segment: dict[str, Any], part: Path, count: Callable[[int], None]) -> Flow[None]:
    size: int = segment["size"]
    file: IO[bytes] = yield Run(lambda: part.open("ab"))
    try:
        have = file.tell()
        if have > size:
            file.truncate(0)
            have = 0
        count(have)
        retries = Retries("GET", transport.policy)
        while have < size:
            try:
                answer = yield from _open_from(transport, segment["downloadUrl"], have)
                # A server that takes no notice of ranges begins at 0 again.
                skip = 0 if answer.status == PARTIAL_CONTENT else have
                while chunk := (yield Read()):
                    fresh = chunk[skip:]
                    skip = max(0, skip - len(chunk))
                    if not fresh:
                        continue
                    if have + len(fresh) > size:
                        raise UnexpectedAnswer(f"a segment of {size} bytes came with more", status=answer.status)
                    yield Run(lambda: file.write(fresh))
                    have += len(fresh)
                    count(len(fresh))
                    retries.reset()
                if have < size:
                    raise httpx.RemoteProtocolError(f"{have} bytes instead of {size}")
            except httpx.TransportError as cause:
                yield from retries.after(connection_failed(cause, segment["downloadUrl"]))
            except AudiosplitError as error:
                yield from retries.after(error)
    finally:
        file.close()


def _open_from(transport: Transport, url: str, have: int) -> Flow[Answer]:
    headers = {**COMMON_HEADERS, "Accept-Encoding": "identity"}
    if have > 0:
        headers["Range"] = f"bytes={have}-"
    return (yield from transport.open(Request("GET", url, headers, follow_redirects=True), SILENCE_SECONDS))
