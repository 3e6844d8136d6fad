"""What the cases of clients/cases do not ask for: sources, pages, and a folder that holds files."""

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from audiosplit import AsyncAudiosplit, Audiosplit, RetryPolicy, errors

BYTES = b"as if it were sound"
JOB = {"id": "job_1", "status": "completed", "segments": []}
Handler = Callable[[httpx.Request], httpx.Response]


def connect(handler: Handler) -> Audiosplit:
    client = Audiosplit("http://api.example.com/", api_key="ask_1", retries=RetryPolicy(base_delay=0))
    client._driver._client = httpx.Client(transport=httpx.MockTransport(handler))
    return client


class Api:
    """Takes a file and splits it."""

    def __init__(self) -> None:
        self.puts: list[tuple[bytes, str | None]] = []
        self.faults = 0
        self.requests: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            assert "x-api-key" not in request.headers
            self.puts.append((request.read(), request.headers.get("content-length")))
            self.faults -= 1
            return httpx.Response(503 if self.faults >= 0 else 200, headers={"retry-after": "0"})
        if request.url.path == "/api/v1/splits" or request.url.path == "/api/v1/uploads":
            self.requests.append(json.loads(request.read()))
            assert request.headers["idempotency-key"]
        if request.url.path == "/api/v1/uploads":
            return httpx.Response(200, json={"uploadUrl": "http://store.example.com/1", "sourceUrl": "http://api/u/1"})
        return httpx.Response(204) if request.url.path.endswith("/events") else httpx.Response(200, json=JOB)


def sources(folder: Path) -> list[Any]:
    path = folder / "talk.mp3"
    path.write_bytes(BYTES)
    return [path, str(path), path.open("rb")]


def test_a_path_or_a_file_is_sent_with_its_name_and_size_and_again_after_a_failure(tmp_path: Path) -> None:
    for source in sources(tmp_path):
        api = Api()
        api.faults = 1
        job = connect(api).splits.create_and_wait(source, every=600, snap_to_silence=5, preset="speech")
        assert job["id"] == "job_1"
        assert api.puts == [(BYTES, str(len(BYTES)))] * 2
        assert api.requests[0] == {"fileName": "talk.mp3"}
        assert api.requests[1]["sourceUrl"] == "http://api/u/1"


def test_a_file_object_is_sent_from_where_it_stands() -> None:
    api, file = Api(), io.BytesIO(BYTES)
    file.seek(3)
    connect(api).splits.create(file, parts=2)
    assert api.puts == [(BYTES[3:], str(len(BYTES) - 3))]
    assert api.requests[0] == {}


def test_what_can_be_read_once_is_sent_once() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    api = Api()
    api.faults = 1
    with pytest.raises(errors.AudiosplitError):
        connect(api).splits.create(Pipe(BYTES), parts=2)
    assert len(api.puts) == 1


def test_a_url_is_left_to_the_server_and_a_wrong_cut_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    api = Api()
    connect(api).splits.create("https://example.com/a.mp3", parts=2)
    assert api.requests == [{"sourceUrl": "https://example.com/a.mp3", "splitMode": "parts", "parts": 2}]
    with pytest.raises(TypeError):
        connect(api).splits.create(tmp_path, every=1, parts=2)
    assert len(api.requests) == 1


def test_rows_come_page_by_page_as_they_are_asked_for() -> None:
    pages: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        page = int(request.url.params["page"])
        pages.append(str(request.url.query, "ascii"))
        pagination = {"page": page, "totalPages": 3}
        return httpx.Response(200, json={"data": [{"id": f"job_{page}"}], "pagination": pagination})

    rows = connect(answer).splits.list(status="failed")
    assert pages == []
    assert next(rows)["id"] == "job_1"
    assert pages == ["status=failed&page=1&limit=100"]
    assert [row["id"] for row in rows] == ["job_2", "job_3"]


def test_errors_are_classes_by_code() -> None:
    refusal = {"code": "INVALID_PARAMS", "message": "No.", "details": [{"field": "parts", "message": "too few"}]}
    client = connect(lambda _: httpx.Response(400, json={"error": refusal}, headers={"x-request-id": "req_1"}))
    with pytest.raises(errors.InvalidParams) as caught:
        client.splits.get("job_1")
    error = caught.value
    assert (error.code, error.status, error.request_id) == ("INVALID_PARAMS", 400, "req_1")
    assert error.details == [{"field": "parts", "message": "too few"}]


def segments(size: int = len(BYTES)) -> Handler:
    segment = {"index": 0, "fileName": "a.mp3", "size": size, "downloadUrl": "http://store.example.com/0"}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "store.example.com":
            begin = int(request.headers.get("range", "bytes=0-")[6:-1])
            return httpx.Response(206 if begin else 200, content=BYTES[begin:])
        return httpx.Response(200, json={**JOB, "segments": [segment]})

    return answer


def test_a_download_goes_on_with_what_an_earlier_call_has_left(tmp_path: Path) -> None:
    part = tmp_path / ".part-job_1-0"
    for left in (b"", BYTES[:4], BYTES, BYTES + b"more"):
        part.write_bytes(left)
        received: list[int] = []
        [path] = connect(segments()).splits.download("job_1", tmp_path, overwrite=True, on_bytes=received.append)
        assert path.read_bytes() == BYTES
        assert received[-1] == len(BYTES)
        assert not part.exists()


def test_a_file_that_is_another_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.mp3").write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        connect(segments()).splits.download("job_1", tmp_path)
    assert (tmp_path / "a.mp3").read_bytes() == b"mine"


def test_a_link_that_has_ended_is_replaced_by_a_fresh_one(tmp_path: Path) -> None:
    ended = iter([True])
    serve = segments()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "store.example.com" and next(ended, False):
            return httpx.Response(403, json={"error": {"code": "DOWNLOAD_EXPIRED", "message": "It has ended."}})
        return serve(request)

    [path] = connect(answer).splits.download("job_1", tmp_path)
    assert path.read_bytes() == BYTES


@pytest.mark.parametrize("address", ["localhost:8080", "ftp://x", "http://u:p@x", "http://x?a=b", "http://"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ValueError):
        Audiosplit(address)


def test_the_async_client_lists_and_uploads_as_well(tmp_path: Path) -> None:
    api = Api()

    async def run() -> str:
        async with AsyncAudiosplit("http://api.example.com", api_key="ask_1") as client:
            client._driver._client = httpx.AsyncClient(transport=httpx.MockTransport(api))
            return (await client.splits.create_and_wait(sources(tmp_path)[0], every=600))["id"]

    assert asyncio.run(run()) == "job_1"
    assert api.puts == [(BYTES, str(len(BYTES)))]
