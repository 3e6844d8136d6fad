"""Jobs: `client.splits`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

from typing_extensions import Unpack

from ._archives import download_archive
from ._cuts import Cut, split_request
from ._downloads import download_job
from ._drivers import AsyncDriver, SyncDriver
from ._flow import Flow
from ._generated.models import CompletedJob, FailedJob, JobRow, ProcessingJob, QueuedJob
from ._pages import each_row, each_row_async
from ._sources import Source, upload_source
from ._transport import Transport, path_segment
from ._waiting import OnProgress, wait_for_job

Job: TypeAlias = "QueuedJob | ProcessingJob | CompletedJob | FailedJob"
#: The method `list` hides the type within the classes.
Paths: TypeAlias = "list[Path]"
PATH = "/api/v1/splits"


class _Flows:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, source: Source, cut: Cut, idempotency_key: str | None) -> Flow[Any]:
        # A cut that contradicts itself is refused before anything is sent.
        split_request("", cut)
        source_url = yield from upload_source(self._transport, source)
        body = split_request(source_url, cut)
        return (yield from self._transport.call("POST", PATH, body=body, idempotency_key=idempotency_key))

    def create_and_wait(self, source: Source, cut: Cut, on_progress: OnProgress | None) -> Flow[Any]:
        job = yield from self.create(source, cut, None)
        return (yield from wait_for_job(self._transport, job["id"], on_progress))

    def wait(self, job_id: str, on_progress: OnProgress | None) -> Flow[Any]:
        return wait_for_job(self._transport, job_id, on_progress)

    def get(self, job_id: str) -> Flow[Any]:
        return self._transport.call("GET", f"{PATH}/{path_segment(job_id)}")

    def cancel(self, job_id: str) -> Flow[Any]:
        return self._transport.call("POST", f"{PATH}/{path_segment(job_id)}/cancel", body={})

    def delete(self, job_id: str) -> Flow[None]:
        return self._transport.call("DELETE", f"{PATH}/{path_segment(job_id)}")

    def page(self, query: dict[str, Any]) -> Flow[Any]:
        return self._transport.call("GET", PATH, query=query)

    def download(
        self,
        job: str | Job,
        to: str | os.PathLike[str],
        overwrite: bool,
        on_bytes: Callable[[int], None] | None,
    ) -> Flow[list[Path]]:
        job_id = job if isinstance(job, str) else job["id"]
        return download_job(self._transport, job_id, to, overwrite=overwrite, on_bytes=on_bytes)

    def archive(
        self, job: str | Job, to: str | os.PathLike[str], overwrite: bool, on_bytes: Callable[[int], None] | None
    ) -> Flow[Path]:
        path = f"{PATH}/{path_segment(job if isinstance(job, str) else job['id'])}/archive"
        return download_archive(self._transport, path, to, overwrite=overwrite, on_bytes=on_bytes)


class Splits:
    def __init__(self, transport: Transport, driver: SyncDriver) -> None:
        self._flows = _Flows(transport)
        self._driver = driver

    def create(self, source: Source, *, idempotency_key: str | None = None, **cut: Unpack[Cut]) -> Job:
        """Accepts the job and returns at once. A path or file object is sent first; a URL is fetched by the server."""
        return cast(Job, self._driver.run(self._flows.create(source, cut, idempotency_key)))

    def create_and_wait(
        self, source: Source, *, on_progress: OnProgress | None = None, **cut: Unpack[Cut]
    ) -> CompletedJob:
        """Raises JobFailedError when the job fails."""
        return cast(CompletedJob, self._driver.run(self._flows.create_and_wait(source, cut, on_progress)))

    def wait(self, job_id: str, *, on_progress: OnProgress | None = None) -> CompletedJob:
        """Raises JobFailedError when the job fails."""
        return cast(CompletedJob, self._driver.run(self._flows.wait(job_id, on_progress)))

    def get(self, job_id: str) -> Job:
        """With fresh links."""
        return cast(Job, self._driver.run(self._flows.get(job_id)))

    def list(self, *, status: str | None = None) -> Iterator[JobRow]:
        """The newest first; pages are read as their rows are asked for."""
        rows = each_row(lambda page: self._driver.run(self._flows.page({"status": status, **page})))
        return cast("Iterator[JobRow]", rows)

    def cancel(self, job_id: str) -> Job:
        return cast(Job, self._driver.run(self._flows.cancel(job_id)))

    def delete(self, job_id: str) -> None:
        self._driver.run(self._flows.delete(job_id))

    def download(
        self,
        job: str | Job,
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> Paths:
        """Writes all segments into a folder. What an earlier call has left is gone on with, and sizes are verified."""
        return self._driver.run(self._flows.download(job, to, overwrite, on_bytes))

    def download_archive(
        self,
        job: str | Job,
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> Path:
        """Writes the archive of all segments to the file `to`."""
        return self._driver.run(self._flows.archive(job, to, overwrite, on_bytes))


class AsyncSplits:
    def __init__(self, transport: Transport, driver: AsyncDriver) -> None:
        self._flows = _Flows(transport)
        self._driver = driver

    async def create(self, source: Source, *, idempotency_key: str | None = None, **cut: Unpack[Cut]) -> Job:
        """Accepts the job and returns at once. A path or file object is sent first; a URL is fetched by the server."""
        return cast(Job, await self._driver.run(self._flows.create(source, cut, idempotency_key)))

    async def create_and_wait(
        self, source: Source, *, on_progress: OnProgress | None = None, **cut: Unpack[Cut]
    ) -> CompletedJob:
        """Raises JobFailedError when the job fails."""
        return cast(CompletedJob, await self._driver.run(self._flows.create_and_wait(source, cut, on_progress)))

    async def wait(self, job_id: str, *, on_progress: OnProgress | None = None) -> CompletedJob:
        """Raises JobFailedError when the job fails."""
        return cast(CompletedJob, await self._driver.run(self._flows.wait(job_id, on_progress)))

    async def get(self, job_id: str) -> Job:
        """With fresh links."""
        return cast(Job, await self._driver.run(self._flows.get(job_id)))

    def list(self, *, status: str | None = None) -> AsyncIterator[JobRow]:
        """The newest first; pages are read as their rows are asked for."""
        rows = each_row_async(lambda page: self._driver.run(self._flows.page({"status": status, **page})))
        return cast("AsyncIterator[JobRow]", rows)

    async def cancel(self, job_id: str) -> Job:
        return cast(Job, await self._driver.run(self._flows.cancel(job_id)))

    async def delete(self, job_id: str) -> None:
        await self._driver.run(self._flows.delete(job_id))

    async def download(
        self,
        job: str | Job,
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> Paths:
        """Writes all segments into a folder. What an earlier call has left is gone on with, and sizes are verified."""
        return await self._driver.run(self._flows.download(job, to, overwrite, on_bytes))

    async def download_archive(
        self,
        job: str | Job,
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> Path:
        """Writes the archive of all segments to the file `to`."""
        return await self._driver.run(self._flows.archive(job, to, overwrite, on_bytes))
