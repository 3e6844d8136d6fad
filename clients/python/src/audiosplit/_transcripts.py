"""What speech-to-text services answer, as lines with times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from typing_extensions import NotRequired, TypedDict


class TranscriptLine(TypedDict):
    """Times in seconds."""

    start: float
    end: float
    text: str


class SpokenLine(TranscriptLine):
    #: Of each word, where the service gives them.
    words: NotRequired[Sequence[TranscriptLine]]


#: An answer as the service gave it: of OpenAI and Groq `verbose_json` or `json`, of Deepgram with `utterances` or without, of
#: Azure's fast transcription; or lines that were read already. Times count from the beginning of the segment.
TranscriptAnswer: TypeAlias = "Sequence[SpokenLine] | Mapping[str, Any]"


def read_transcript(answer: TranscriptAnswer, duration: float) -> Sequence[SpokenLine]:
    """A text without times stands for the whole segment, of `duration` seconds."""
    if not isinstance(answer, Mapping):
        return answer
    if "results" in answer:
        return _of_deepgram(answer["results"])
    if "phrases" in answer:
        return [_of_azure(phrase) for phrase in answer["phrases"]]
    if "segments" not in answer:
        return [{"start": 0, "end": duration, "text": answer.get("text", "")}]
    words = [_line(word["start"], word["end"], word["word"]) for word in answer.get("words", [])]
    return [_with_words(_line(each["start"], each["end"], each["text"]), words) for each in answer["segments"]]


def _line(start: float, end: float, text: str) -> SpokenLine:
    return {"start": start, "end": end, "text": text}


def _with_words(line: SpokenLine, words: list[SpokenLine]) -> SpokenLine:
    """OpenAI gives the words of all lines in one list, without punctuation: they count where all of a line are there."""
    texts = line["text"].split()
    own = [word for word in words if line["start"] <= (word["start"] + word["end"]) / 2 < line["end"]]
    if len(own) != len(texts):
        return line
    timed = [_line(word["start"], word["end"], text) for word, text in zip(own, texts)]
    return {**line, "words": timed}


def _of_deepgram(results: Mapping[str, Any]) -> list[SpokenLine]:
    if "utterances" in results:
        return [
            {**_line(each["start"], each["end"], each["transcript"]), "words": _deepgram_words(each)}
            for each in results["utterances"]
        ]
    [best, *_] = results["channels"][0]["alternatives"]
    words = _deepgram_words(best)
    if not words:
        return []
    return [{**_line(words[0]["start"], words[-1]["end"], best["transcript"]), "words": words}]


def _deepgram_words(spoken: Mapping[str, Any]) -> list[SpokenLine]:
    return [_line(word["start"], word["end"], word.get("punctuated_word", word["word"])) for word in spoken.get("words", [])]


def _of_azure(phrase: Mapping[str, Any]) -> SpokenLine:
    start = phrase["offsetMilliseconds"] / 1_000
    line = _line(start, start + phrase["durationMilliseconds"] / 1_000, phrase["text"])
    return {**line, "words": [_of_azure(word) for word in phrase["words"]]} if "words" in phrase else line
