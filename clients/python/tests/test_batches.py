"""Batches, and archives as files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from audiosplit import Audiosplit, Cut, RetryPolicy, errors

COUNTS = {"id": "bat_1", "total": 2, "queued": 0, "processing": 0, "completed": 2, "failed": 0, "canceled": 0}
ZIP = b"as if it were an archive"
Handler = Callable[[httpx.Request], httpx.Response]


def connect(handler: Handler) -> Audiosplit:
    client = Audiosplit("http://api.example.com/", api_key="ask_1", retries=RetryPolicy(base_delay=0))
    client._driver._client = httpx.Client(transport=httpx.MockTransport(handler))
    return client


class Api:
    """Takes files and makes batches of them."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.uploads = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            request.read()
            return httpx.Response(200)
        body = json.loads(request.read() or b"null")
        self.calls.append((f"{request.method} {request.url.path}", body))
        if request.url.path == "/api/v1/uploads":
            self.uploads += 1
            source = f"http://api/u/{self.uploads}"
            return httpx.Response(200, json={"uploadUrl": "http://store.example.com/1", "sourceUrl": source})
        return httpx.Response(200, json={**COUNTS, "jobs": [], "refused": []})


def test_a_batch_has_one_setting_for_links_and_for_files_which_are_sent_first(tmp_path: Path) -> None:
    path = tmp_path / "talk.mp3"
    path.write_bytes(b"sound")
    api = Api()
    batch = connect(api).batches.create(
        ["https://example.com/a.mp3", path, str(path)], every=600, to="mp3", metadata={"n": 1}
    )
    assert batch["id"] == "bat_1"
    assert api.calls[-1] == (
        "POST /api/v1/batches",
        {
            "sources": ["https://example.com/a.mp3", "http://api/u/1", "http://api/u/2"],
            "settings": {"splitMode": "duration", "segmentDuration": 600, "outputFormat": "mp3"},
            "metadata": {"n": 1},
        },
    )


def test_a_wrong_cut_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    api = Api()
    headers = {"Authorization": "Bearer x"}
    cuts: list[Cut] = [{}, {"every": 1, "parts": 2}, {"parts": 2, "source_headers": headers}]
    for cut in cuts:
        with pytest.raises(TypeError):
            connect(api).batches.create([tmp_path], **cut)
    assert api.calls == []


def test_waiting_asks_until_no_job_is_queued_or_running(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    left = [{"queued": 2}, {"queued": 1, "processing": 1}, {}]
    seen: list[int] = []
    client = connect(lambda _: httpx.Response(200, json={**COUNTS, **left.pop(0)}))
    batch = client.batches.wait("bat_1", on_counts=lambda counts: seen.append(counts["queued"]))
    assert (batch["completed"], seen, pauses) == (2, [2, 1, 0], [2.0, 3.0])


def test_its_jobs_come_in_the_order_of_the_sources() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url.query, "ascii"))
        return httpx.Response(200, json={"data": [{"id": "job_1"}], "pagination": {"page": 1, "totalPages": 1}})

    rows = list(connect(answer).batches.jobs("bat_1", status="failed"))
    assert [row["id"] for row in rows] == ["job_1"]
    assert asked == ["sortOrder=asc&batchId=bat_1&status=failed&page=1&limit=100"]


def test_cancel_and_retry_are_calls_of_the_batch() -> None:
    api = Api()
    client = connect(api)
    assert client.batches.cancel("bat_1")["id"] == client.batches.retry("bat_1")["id"] == "bat_1"
    assert api.calls == [("POST /api/v1/batches/bat_1/cancel", {}), ("POST /api/v1/batches/bat_1/retry", {})]


def archive(faults: int = 0) -> Handler:
    left = [faults]

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path in ("/api/v1/batches/bat_1/archive", "/api/v1/splits/job_1/archive")
        assert request.headers["x-api-key"] == "ask_1"
        left[0] -= 1
        if left[0] >= 0:
            return httpx.Response(200, content=iter([ZIP[:5]]), headers={"content-length": str(len(ZIP))})
        return httpx.Response(200, content=ZIP)

    return answer


def test_an_archive_that_breaks_off_begins_anew_and_is_whole_or_not_there(tmp_path: Path) -> None:
    received: list[int] = []
    client = connect(archive(faults=2))
    path = client.batches.download_archive("bat_1", tmp_path / "all.zip", on_bytes=received.append)
    assert path.read_bytes() == ZIP
    assert received[-1] == len(ZIP)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(errors.AudiosplitError):
        connect(archive(faults=99)).batches.download_archive("bat_1", tmp_path / "other.zip")
    assert list(tmp_path.iterdir()) == [path]


def test_an_archive_does_not_overwrite_a_file_unless_told_to(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    path.write_bytes(b"mine")
    client = connect(archive())
    with pytest.raises(FileExistsError):
        client.splits.download_archive("job_1", path)
    assert path.read_bytes() == b"mine"
    assert client.splits.download_archive("job_1", path, overwrite=True).read_bytes() == ZIP


def test_an_archive_that_is_refused_has_its_code(tmp_path: Path) -> None:
    refusal = {"error": {"code": "JOB_NOT_COMPLETED", "message": "Wait."}}
    client = connect(lambda _: httpx.Response(409, json=refusal))
    with pytest.raises(errors.JobNotCompleted):
        client.batches.download_archive("bat_1", tmp_path / "all.zip")
    assert list(tmp_path.iterdir()) == []
