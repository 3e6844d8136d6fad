"""Two ways to run a flow."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any, TypeVar, cast

import anyio
import anyio.to_thread
import httpx

from ._flow import Answer, Effect, Flow, Open, Read, Request, Run, Send, Sleep

T = TypeVar("T")


class SyncDriver:
    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def run(self, flow: Flow[T]) -> T:
        with ExitStack() as stack:
            step = _Steps(flow)
            chunks: Iterator[bytes] = iter(())
            while (effect := step.effect) is not None:
                try:
                    result: Any = None
                    if isinstance(effect, Send):
                        response = self._client.request(**_arguments(effect.request, _same))
                        result = Answer(response.status_code, response.headers, response.content)
                    elif isinstance(effect, Open):
                        stack.close()
                        timeout = httpx.Timeout(self._client.timeout.connect, read=effect.silence_seconds)
                        opened = self._client.stream(**_arguments(effect.request, _same), timeout=timeout)
                        response = stack.enter_context(opened)
                        chunks = response.iter_bytes()
                        result = Answer(response.status_code, response.headers)
                    elif isinstance(effect, Read):
                        result = next(chunks, b"")
                    elif isinstance(effect, Sleep):
                        time.sleep(effect.seconds)
                    else:
                        result = effect.call()
                except BaseException as error:
                    step.throw(error)
                else:
                    step.send(result)
            return cast(T, step.result)


class AsyncDriver:
    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def run(self, flow: Flow[T]) -> T:
        async with AsyncExitStack() as stack:
            step = _Steps(flow)
            chunks: AsyncIterator[bytes] = _in_threads(iter(()))
            while (effect := step.effect) is not None:
                try:
                    result: Any = None
                    if isinstance(effect, Send):
                        response = await self._client.request(**_arguments(effect.request, _in_threads))
                        result = Answer(response.status_code, response.headers, response.content)
                    elif isinstance(effect, Open):
                        await stack.aclose()
                        timeout = httpx.Timeout(self._client.timeout.connect, read=effect.silence_seconds)
                        opened = self._client.stream(**_arguments(effect.request, _in_threads), timeout=timeout)
                        response = await stack.enter_async_context(opened)
                        chunks = response.aiter_bytes()
                        result = Answer(response.status_code, response.headers)
                    elif isinstance(effect, Read):
                        result = await anext(chunks, b"")
                    elif isinstance(effect, Sleep):
                        await anyio.sleep(effect.seconds)
                    else:
                        result = await anyio.to_thread.run_sync(effect.call)
                except BaseException as error:
                    step.throw(error)
                else:
                    step.send(result)
            return cast(T, step.result)


class _Steps:
    """A flow from effect to effect."""

    result: Any = None

    def __init__(self, flow: Flow[Any]) -> None:
        self._flow = flow
        self.effect: Effect | None = None
        self.send(None)

    def send(self, result: Any) -> None:
        self._advance(lambda: self._flow.send(result))

    def throw(self, error: BaseException) -> None:
        self._advance(lambda: self._flow.throw(error))

    def _advance(self, step: Callable[[], Effect]) -> None:
        try:
            self.effect = step()
        except StopIteration as end:
            self.effect = None
            self.result = end.value


def _arguments(request: Request, chunks: Callable[[Iterator[bytes]], Any]) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": request.url,
        "headers": request.headers,
        "content": chunks(request.body()) if callable(request.body) else request.body,
        "follow_redirects": request.follow_redirects,
    }


def _same(chunks: Iterator[bytes]) -> Iterator[bytes]:
    return chunks


async def _in_threads(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    while chunk := await anyio.to_thread.run_sync(next, chunks, b""):
        yield chunk
