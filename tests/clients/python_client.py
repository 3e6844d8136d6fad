"""Runs the cases with the Python client: journeys are JSON on standard input, outcomes go to standard output.

    python python_client.py sync|async
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import audiosplit
from audiosplit import AsyncAudiosplit, Audiosplit, AudiosplitError, JobFailedError, RetryPolicy


def outcome_of(error: Exception) -> dict[str, Any]:
    if isinstance(error, (AudiosplitError, JobFailedError)):
        return {"error": error.code}
    if isinstance(error, (ValueError, OSError)):
        return {"refused": True}
    raise error


def described(action: str, result: Any) -> dict[str, Any]:
    if action == "download":
        return {"files": {path.name: path.read_text() for path in result}}
    return {"id": result["id"]} if action == "cancel" else {"id": result["id"], "status": result["status"]}


def settings_of(journey: dict[str, Any]) -> audiosplit.Settings:
    return {"api_key": journey["key"], "retries": RetryPolicy(base_delay=0.01)}


def arguments_of(journey: dict[str, Any]) -> tuple[str, list[str]]:
    [(action, job_id)] = journey["run"].items()
    return action, [job_id, journey["folder"]] if action == "download" else [job_id]


def make(journey: dict[str, Any]) -> dict[str, Any]:
    action, arguments = arguments_of(journey)
    with Audiosplit(journey["url"], **settings_of(journey)) as client:
        try:
            return described(action, getattr(client.splits, action)(*arguments))
        except Exception as error:
            return outcome_of(error)


async def make_async(journey: dict[str, Any]) -> dict[str, Any]:
    action, arguments = arguments_of(journey)
    async with AsyncAudiosplit(journey["url"], **settings_of(journey)) as client:
        try:
            return described(action, await getattr(client.splits, action)(*arguments))
        except Exception as error:
            return outcome_of(error)


async def make_all(journeys: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return await asyncio.gather(*map(make_async, journeys))


if __name__ == "__main__":
    journeys = json.load(sys.stdin)
    is_async = sys.argv[1] == "async"
    outcomes = asyncio.run(make_all(journeys)) if is_async else list(map(make, journeys))
    print(json.dumps({"outcomes": outcomes, "from": str(Path(audiosplit.__file__).parent)}))
