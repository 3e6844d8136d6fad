"""Lists come in pages, which callers would rather not see."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

#: The most that the API gives at once.
PAGE_ROWS = 100


def each_row(read: Callable[[dict[str, int]], Any]) -> Iterator[Any]:
    page: int | None = 1
    while page is not None:
        answer = read({"page": page, "limit": PAGE_ROWS})
        yield from answer["data"]
        page = _after(answer)


async def each_row_async(read: Callable[[dict[str, int]], Awaitable[Any]]) -> AsyncIterator[Any]:
    page: int | None = 1
    while page is not None:
        answer = await read({"page": page, "limit": PAGE_ROWS})
        for row in answer["data"]:
            yield row
        page = _after(answer)


def _after(answer: Any) -> int | None:
    page, pages = answer["pagination"]["page"], answer["pagination"]["totalPages"]
    return page + 1 if page < pages else None
