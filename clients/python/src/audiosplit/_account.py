"""What is of the account and takes its access token: `client.keys` and `client.usage()`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, cast

from ._drivers import AsyncDriver, SyncDriver
from ._flow import Flow
from ._generated.models import ApiKey, CreatedApiKey
from ._pages import each_row, each_row_async
from ._transport import Transport, path_segment

PATH = "/api/v1/api-keys"


class _Flows:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, name: str, scopes: Sequence[str] | None) -> Flow[Any]:
        body = {"name": name} if scopes is None else {"name": name, "scopes": list(scopes)}
        return self._transport.call("POST", PATH, body=body, of_account=True)

    def page(self, query: dict[str, int]) -> Flow[Any]:
        return self._transport.call("GET", PATH, query=query, of_account=True)

    def rotate(self, key_id: str) -> Flow[Any]:
        path = f"{PATH}/{path_segment(key_id)}/rotate"
        return self._transport.call("POST", path, body={}, of_account=True)

    def revoke(self, key_id: str) -> Flow[None]:
        return self._transport.call("DELETE", f"{PATH}/{path_segment(key_id)}", of_account=True)


class Keys:
    def __init__(self, transport: Transport, driver: SyncDriver) -> None:
        self._flows = _Flows(transport)
        self._driver = driver

    def create(self, name: str, *, scopes: Sequence[str] | None = None) -> CreatedApiKey:
        """The secret is shown in this response only."""
        return cast(CreatedApiKey, self._driver.run(self._flows.create(name, scopes)))

    def list(self) -> Iterator[ApiKey]:
        return cast("Iterator[ApiKey]", each_row(lambda page: self._driver.run(self._flows.page(page))))

    def rotate(self, key_id: str) -> CreatedApiKey:
        """The new secret is shown in this response only."""
        return cast(CreatedApiKey, self._driver.run(self._flows.rotate(key_id)))

    def revoke(self, key_id: str) -> None:
        self._driver.run(self._flows.revoke(key_id))


class AsyncKeys:
    def __init__(self, transport: Transport, driver: AsyncDriver) -> None:
        self._flows = _Flows(transport)
        self._driver = driver

    async def create(self, name: str, *, scopes: Sequence[str] | None = None) -> CreatedApiKey:
        """The secret is shown in this response only."""
        return cast(CreatedApiKey, await self._driver.run(self._flows.create(name, scopes)))

    def list(self) -> AsyncIterator[ApiKey]:
        return cast("AsyncIterator[ApiKey]", each_row_async(lambda page: self._driver.run(self._flows.page(page))))

    async def rotate(self, key_id: str) -> CreatedApiKey:
        """The new secret is shown in this response only."""
        return cast(CreatedApiKey, await self._driver.run(self._flows.rotate(key_id)))

    async def revoke(self, key_id: str) -> None:
        await self._driver.run(self._flows.revoke(key_id))
