"""The TypeScript client's tests make the same cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from audiosplit.transcripts import stitch, write_transcript

CASES = json.loads((Path(__file__).parents[2] / "cases/stitch.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_transcripts_of_segments_become_one(case: dict[str, Any]) -> None:
    lines = stitch(case["segments"], case["transcripts"])
    assert lines == case["lines"]
    for name in ("text", "srt", "vtt"):
        if name in case:
            assert write_transcript(lines, name) == case[name]
    assert json.loads(write_transcript(lines, "json")) == lines


def test_one_transcript_for_each_segment_or_none() -> None:
    with pytest.raises(ValueError):
        stitch([{"startTime": 0, "endTime": 1}], [])
    assert stitch([], []) == []
