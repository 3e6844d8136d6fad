"""What can be split: a path, a file object, or a URL that the server fetches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TypeAlias

from ._flow import Flow, Request, Run
from ._transport import COMMON_HEADERS, Transport

Source: TypeAlias = "str | os.PathLike[str] | IO[bytes]"
CHUNK_BYTES = 262_144


def upload_source(transport: Transport, source: Source, file_name: str | None = None) -> Flow[str]:
    """Results in the URL to split from. A URL is its own; a file is sent first."""
    if isinstance(source, str) and source.lower().startswith(("http://", "https://")):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        file: IO[bytes] = yield Run(lambda: path.open("rb"))
        try:
            return (yield from _upload(transport, file, file_name or path.name))
        finally:
            file.close()
    named = getattr(source, "name", None)
    return (yield from _upload(transport, source, file_name or (Path(named).name if isinstance(named, str) else None)))


def _upload(transport: Transport, file: IO[bytes], name: str | None) -> Flow[str]:
    link = yield from transport.call("POST", "/api/v1/uploads", body={} if name is None else {"fileName": name})
    begin = file.tell() if file.seekable() else None
    headers = dict(COMMON_HEADERS)
    if begin is not None:
        headers["Content-Length"] = str((yield Run(lambda: file.seek(0, os.SEEK_END))) - begin)
    request = Request("PUT", link["uploadUrl"], headers, _reader(file, begin), follow_redirects=True)
    # What can be read only once can be sent only once.
    yield from transport.send(request, is_repeatable=begin is not None)
    source_url: str = link["sourceUrl"]
    return source_url


def _reader(file: IO[bytes], begin: int | None) -> Callable[[], Iterator[bytes]]:
    def chunks() -> Iterator[bytes]:
        if begin is not None:
            file.seek(begin)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk

    return chunks
