"""Archives as files. They are made while they are sent: one that breaks off begins anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

import httpx

from ._downloads import SILENCE_SECONDS
from ._errors import AudiosplitError, connection_failed
from ._flow import Flow, Read, Request, Run
from ._retries import Retries
from ._transport import Transport


def download_archive(
    transport: Transport,
    path: str,
    to: str | os.PathLike[str],
    *,
    overwrite: bool,
    on_bytes: Callable[[int], None] | None,
) -> Flow[Path]:
    """Results in the path of the file, which is there once it is complete."""
    target = Path(to)
    if not overwrite and (yield Run(target.exists)):
        raise FileExistsError(f"{target} exists: choose another file, or overwrite=True")
    part = target.with_name(f".part-{target.name}")
    request = Request("GET", transport.url(path), {**transport.headers(), "Accept-Encoding": "identity"})
    retries = Retries("GET", transport.policy)
    try:
        while not (yield from _fetch(transport, request, part, retries, on_bytes)):
            pass
        yield Run(lambda: part.replace(target))
    finally:
        part.unlink(missing_ok=True)
    return target


def _fetch(
    transport: Transport, request: Request, part: Path, retries: Retries, on_bytes: Callable[[int], None] | None
) -> Flow[bool]:
    """Whether all of it has come. Raises where it is not to be tried again."""
    file: IO[bytes] = yield Run(lambda: part.open("wb"))
    try:
        answer = yield from transport.open(request, SILENCE_SECONDS)
        received = 0
        while chunk := (yield Read()):
            yield Run(lambda: file.write(chunk))
            received += len(chunk)
            if on_bytes is not None:
                on_bytes(received)
        if received != int(answer.headers.get("content-length", received)):
            raise httpx.RemoteProtocolError(f"{received} bytes, and not all")
    except httpx.TransportError as cause:
        yield from retries.after(connection_failed(cause, request.url))
        return False
    except AudiosplitError as error:
        yield from retries.after(error)
        return False
    finally:
        file.close()
    return True
