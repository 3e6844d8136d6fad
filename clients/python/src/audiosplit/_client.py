"""The client's entrances, sync and async."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, cast

import httpx
from typing_extensions import Self, TypedDict, Unpack

from . import webhooks
from ._account import AsyncKeys, Keys
from ._batches import AsyncBatches, Batches
from ._drivers import AsyncDriver, SyncDriver
from ._generated.models import Usage
from ._retries import RetryPolicy
from ._splits import AsyncSplits, Splits
from ._transport import Secret, Transport

TIMEOUT_SECONDS = 60.0
USAGE = "/api/v1/billing/usage"


class Webhooks:
    def __init__(self, secrets: str | Sequence[str] | None) -> None:
        self._secrets = secrets

    def verify(self, headers: Mapping[str, str], body: bytes | str) -> dict[str, Any]:
        """The event. Raises InvalidSignature. `body` is what has arrived, not yet parsed."""
        if self._secrets is None:
            raise ValueError("give the client a webhook_secret, or set AUDIOSPLIT_WEBHOOK_SECRET")
        return webhooks.verify(headers, body, self._secrets)


class Settings(TypedDict, total=False):
    """What both clients take."""

    #: For jobs; by default AUDIOSPLIT_KEY. A function is asked before every request.
    api_key: Secret
    #: For keys and usage.
    access_token: Secret
    #: One, or several while it is replaced; by default AUDIOSPLIT_WEBHOOK_SECRET.
    webhook_secret: str | Sequence[str]
    retries: RetryPolicy
    #: Seconds, of one try of a call.
    timeout: float


class _Entrance:
    def __init__(self, base_url: str | None, settings: Settings) -> None:
        address = base_url or os.environ.get("AUDIOSPLIT_URL")
        if address is None:
            raise ValueError("give base_url, the address of the installation, or set AUDIOSPLIT_URL")
        self._timeout = settings.get("timeout", TIMEOUT_SECONDS)
        self._transport = Transport(
            address,
            api_key=settings.get("api_key", os.environ.get("AUDIOSPLIT_KEY")),
            access_token=settings.get("access_token"),
            policy=settings.get("retries", RetryPolicy()),
        )
        self.webhooks = Webhooks(settings.get("webhook_secret", os.environ.get("AUDIOSPLIT_WEBHOOK_SECRET")))


class Audiosplit(_Entrance):
    """Nothing is sent before a method is called. Close it, or use it in a `with`."""

    def __init__(self, base_url: str | None = None, **settings: Unpack[Settings]) -> None:
        super().__init__(base_url, settings)
        self._http = httpx.Client(timeout=self._timeout)
        self._driver = SyncDriver(self._http)
        self.splits = Splits(self._transport, self._driver)
        self.batches = Batches(self._transport, self._driver)
        self.keys = Keys(self._transport, self._driver)

    def usage(self) -> Usage:
        """Of the running period."""
        return cast(Usage, self._driver.run(self._transport.call("GET", USAGE, of_account=True)))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()


class AsyncAudiosplit(_Entrance):
    """Nothing is sent before a method is called. Close it, or use it in an `async with`."""

    def __init__(self, base_url: str | None = None, **settings: Unpack[Settings]) -> None:
        super().__init__(base_url, settings)
        self._http = httpx.AsyncClient(timeout=self._timeout)
        self._driver = AsyncDriver(self._http)
        self.splits = AsyncSplits(self._transport, self._driver)
        self.batches = AsyncBatches(self._transport, self._driver)
        self.keys = AsyncKeys(self._transport, self._driver)

    async def usage(self) -> Usage:
        """Of the running period."""
        return cast(Usage, await self._driver.run(self._transport.call("GET", USAGE, of_account=True)))

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()
