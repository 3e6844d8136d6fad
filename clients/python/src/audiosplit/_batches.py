"""Many sources with one setting: `client.batches`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from typing_extensions import Unpack

from ._archives import download_archive
from ._cuts import Cut, split_request
from ._drivers import AsyncDriver, SyncDriver
from ._flow import Flow, Sleep
from ._generated.models import Batch, CreatedBatch, JobRow
from ._pages import each_row, each_row_async
from ._sources import Source, upload_source
from ._transport import Transport, path_segment

PATH = "/api/v1/batches"
POLL_SECONDS = 2.0
MAX_POLL_SECONDS = 15.0

OnCounts = Callable[[Batch], None]


class _Flows:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, sources: Sequence[Source], cut: Cut, idempotency_key: str | None) -> Flow[Any]:
        # A cut that contradicts itself is refused before anything is sent.
        body = batch_request(cut)
        body["sources"] = links = []
        for source in sources:
            links.append((yield from upload_source(self._transport, source)))
        return (yield from self._transport.call("POST", PATH, body=body, idempotency_key=idempotency_key))

    def get(self, batch_id: str) -> Flow[Any]:
        return self._transport.call("GET", f"{PATH}/{path_segment(batch_id)}")

    def wait(self, batch_id: str, on_counts: OnCounts | None) -> Flow[Any]:
        every = POLL_SECONDS
        while True:
            batch = yield from self.get(batch_id)
            if on_counts is not None:
                on_counts(batch)
            if batch["queued"] + batch["processing"] == 0:
                return batch
            yield Sleep(every)
            every = min(every * 1.5, MAX_POLL_SECONDS)

    def change(self, batch_id: str, act: str) -> Flow[Any]:
        return self._transport.call("POST", f"{PATH}/{path_segment(batch_id)}/{act}", body={})

    def page(self, query: dict[str, Any]) -> Flow[Any]:
        return self._transport.call("GET", "/api/v1/splits", query={"sortOrder": "asc", **query})

    def archive(
        self, batch_id: str, to: str | os.PathLike[str], overwrite: bool, on_bytes: Callable[[int], None] | None
    ) -> Flow[Path]:
        path = f"{PATH}/{path_segment(batch_id)}/archive"
        return download_archive(self._transport, path, to, overwrite=overwrite, on_bytes=on_bytes)


def batch_request(cut: Cut) -> dict[str, Any]:
    """The body of the request without its sources. Raises TypeError as a single split does."""
    settings = split_request("", cut)
    if "sourceHeaders" in settings:
        raise TypeError("source_headers are for single jobs")
    del settings["sourceUrl"]
    beside: dict[str, Any] = {name: settings.pop(name) for name in ("webhookUrl", "metadata") if name in settings}
    return {"settings": settings, **beside}


class Batches:
    def __init__(self, transport: Transport, driver: SyncDriver) -> None:
        self._flows = _Flows(transport)
        self._driver = driver

    def create(
        self, sources: Sequence[Source], *, idempotency_key: str | None = None, **cut: Unpack[Cut]
    ) -> CreatedBatch:
        """Accepts one job for each source, and returns at once. Paths and file objects are sent first, one by one."""
        return cast(CreatedBatch, self._driver.run(self._flows.create(sources, cut, idempotency_key)))

    def get(self, batch_id: str) -> Batch:
        return cast(Batch, self._driver.run(self._flows.get(batch_id)))

    def wait(self, batch_id: str, *, on_counts: OnCounts | None = None) -> Batch:
        """Until no job is queued or running. Jobs may have failed: see the counts."""
        return cast(Batch, self._driver.run(self._flows.wait(batch_id, on_counts)))

    def jobs(self, batch_id: str, *, status: str | None = None) -> Iterator[JobRow]:
        """In the order of the sources; pages are read as their rows are asked for."""
        query = {"batchId": batch_id, "status": status}
        rows = each_row(lambda page: self._driver.run(self._flows.page({**query, **page})))
        return cast("Iterator[JobRow]", rows)

    def cancel(self, batch_id: str) -> Batch:
        """Ends what is queued or running."""
        return cast(Batch, self._driver.run(self._flows.change(batch_id, "cancel")))

    def retry(self, batch_id: str) -> Batch:
        """Puts a new job in the place of each that has failed."""
        return cast(Batch, self._driver.run(self._flows.change(batch_id, "retry")))

    def download_archive(
        self,
        batch_id: str,
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> Path:
        """Writes the archive of all that has completed, a folder for each source, to the file `to`."""
        return self._driver.run(self._flows.archive(batch_id, to, overwrite, on_bytes))


class AsyncBatches:
    def __init__(self, transport: Transport, driver: AsyncDriver) -> None:
        self._flows = _Flows(transport)
        self._driver = driver

    async def create(
        self, sources: Sequence[Source], *, idempotency_key: str | None = None, **cut: Unpack[Cut]
    ) -> CreatedBatch:
        """Accepts one job for each source, and returns at once. Paths and file objects are sent first, one by one."""
        return cast(CreatedBatch, await self._driver.run(self._flows.create(sources, cut, idempotency_key)))

    async def get(self, batch_id: str) -> Batch:
        return cast(Batch, await self._driver.run(self._flows.get(batch_id)))

    async def wait(self, batch_id: str, *, on_counts: OnCounts | None = None) -> Batch:
        """Until no job is queued or running. Jobs may have failed: see the counts."""
        return cast(Batch, await self._driver.run(self._flows.wait(batch_id, on_counts)))

    def jobs(self, batch_id: str, *, status: str | None = None) -> AsyncIterator[JobRow]:
        """In the order of the sources; pages are read as their rows are asked for."""
        query = {"batchId": batch_id, "status": status}
        rows = each_row_async(lambda page: self._driver.run(self._flows.page({**query, **page})))
        return cast("AsyncIterator[JobRow]", rows)

    async def cancel(self, batch_id: str) -> Batch:
        """Ends what is queued or running."""
        return cast(Batch, await self._driver.run(self._flows.change(batch_id, "cancel")))

    async def retry(self, batch_id: str) -> Batch:
        """Puts a new job in the place of each that has failed."""
        return cast(Batch, await self._driver.run(self._flows.change(batch_id, "retry")))

    async def download_archive(
        self,
        batch_id: str,
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> Path:
        """Writes the archive of all that has completed, a folder for each source, to the file `to`."""
        return await self._driver.run(self._flows.archive(batch_id, to, overwrite, on_bytes))
