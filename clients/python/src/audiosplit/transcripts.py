"""One transcript of a recording, from those of its segments."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ._transcripts import SpokenLine, TranscriptAnswer, TranscriptLine, read_transcript

__all__ = ["SpokenLine", "TranscriptAnswer", "TranscriptLine", "stitch", "write_transcript"]

#: Of what stands before a seam.
MAX_COMPARED_WORDS = 100
Format: TypeAlias = Literal["text", "srt", "vtt", "json"]


def stitch(segments: Sequence[Mapping[str, Any]], transcripts: Sequence[TranscriptAnswer]) -> list[TranscriptLine]:
    """Lines with their times in the recording, from one transcript for each segment, in the order of the segments.

    What lies in an overlap was transcribed twice: it is left out of the later segment, by its `contentStart` and by the words.
    """
    if len(segments) != len(transcripts):
        raise ValueError(f"{len(segments)} segments have {len(transcripts)} transcripts")
    stitched: list[TranscriptLine] = []
    for segment, transcript in zip(segments, transcripts):
        start = segment["startTime"]
        content_start = segment.get("contentStart", start)
        for line in read_transcript(transcript, segment["endTime"] - start):
            own = _without_overlap(_moved(line, start), content_start, stitched)
            if own is None:
                continue
            text = " ".join(own["text"].split())
            if text:
                stitched.append({"start": _to_millisecond(own["start"]), "end": _to_millisecond(own["end"]), "text": text})
    return stitched


def write_transcript(lines: Sequence[TranscriptLine], format: Format) -> str:
    if format == "text":
        return "".join(f"{line['text']}\n" for line in lines)
    if format == "json":
        return json.dumps(lines, ensure_ascii=False, indent=2) + "\n"
    if format == "srt":
        return "\n".join(f"{index}\n{_times(line, ',')}\n{line['text']}\n" for index, line in enumerate(lines, 1))
    # A cue ends at an empty line, and text is markup.
    return "\n".join(["WEBVTT\n", *(f"{_times(line, '.')}\n{_escaped(line['text'])}\n" for line in lines)])


def _moved(line: SpokenLine, by: float) -> SpokenLine:
    words: list[TranscriptLine] = [
        {"start": word["start"] + by, "end": word["end"] + by, "text": word["text"]} for word in line.get("words", [])
    ]
    return {"start": line["start"] + by, "end": line["end"] + by, "text": line["text"], "words": words}


def _without_overlap(
    line: SpokenLine, content_start: float, before: list[TranscriptLine]
) -> TranscriptLine | None:
    """Of a line across the cut: the words whose middle lies behind it, where they have times. Without times, what does not
    repeat the end of the lines before; and where it repeats nothing, all or none of it by its middle."""
    if line["start"] >= content_start:
        return line
    if line["end"] <= content_start:
        return None
    timed = line.get("words", [])
    if timed:
        own = [word["text"] for word in timed if _middle(word) >= content_start]
        return {"start": content_start, "end": line["end"], "text": " ".join(own)}
    words = line["text"].split()
    repeated = _count_repeated(before, words)
    if repeated == 0:
        return line if _middle(line) >= content_start else None
    return {"start": content_start, "end": line["end"], "text": " ".join(words[repeated:])}


def _count_repeated(before: list[TranscriptLine], words: list[str]) -> int:
    """With how many of the words the lines before have ended. Case and punctuation do not count."""
    last: list[str] = []
    for line in reversed(before):
        if len(last) >= MAX_COMPARED_WORDS:
            break
        last[:0] = map(_bare, line["text"].split())
    first = [_bare(word) for word in words]
    for count in range(min(len(last), len(first)), 0, -1):
        if last[-count:] == first[:count]:
            return count
    return 0


def _bare(word: str) -> str:
    return re.sub(r"[\W_]", "", word.lower())


def _middle(line: TranscriptLine) -> float:
    return (line["start"] + line["end"]) / 2


def _to_millisecond(seconds: float) -> float:
    # Halves go up, as elsewhere in audiosplit.
    return math.floor(seconds * 1_000 + 0.5) / 1_000


def _times(line: TranscriptLine, comma: str) -> str:
    return f"{_clock(line['start'], comma)} --> {_clock(max(line['start'], line['end']), comma)}"


def _clock(seconds: float, comma: str) -> str:
    """`00:01:02,003`"""
    milliseconds = math.floor(seconds * 1_000 + 0.5)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1_000:02}{comma}{rest % 1_000:03}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
