"""How a source is cut, in Python's words: `every=600, snap_to_silence=5`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

from ._generated.models import Chapter, Encoding, Range, SilenceOptions, SnapToSilence, Trim
from ._generated.speech_cuts import SPEECH_CUTS, SpeechService


class Cut(TypedDict, total=False):
    """One of the first seven says where to cut; `max_size` may also stand beside another. Lengths are in seconds."""

    every: int
    parts: int
    #: True, or options such as {"minSilence": 0.7}.
    silence: bool | SilenceOptions
    #: True for those of the source, or a list.
    chapters: bool | Sequence[Chapter]
    ranges: Sequence[Range]
    split_at: Sequence[float]
    #: Bytes.
    max_size: int
    max_duration: int
    #: How far a cut may move back to a silence, or options.
    snap_to_silence: float | SnapToSilence
    overlap: float
    trim: Trim
    audio_track: int | str
    to: Literal["mp3", "wav", "flac", "ogg", "aac"]
    encoding: Encoding
    preset: Literal["speech"]
    #: What a speech-to-text service takes, cut at silences; other words go before it.
    limits_for: SpeechService
    #: Template of the files' names: "{number} {title}".
    name: str
    dry_run: bool
    #: With which the server fetches the source.
    source_headers: Mapping[str, str]
    webhook_url: str
    metadata: Mapping[str, Any]


#: The mode that a word asks for, and the field in which its value stands.
MODES = {
    "every": ("duration", "segmentDuration"),
    "parts": ("parts", "parts"),
    "silence": ("silence", "silence"),
    "chapters": ("chapters", "chapters"),
    "ranges": ("ranges", "ranges"),
    "split_at": ("ranges", "splitPoints"),
}
FIELDS = {
    "max_size": "maxFileSize",
    "max_duration": "maxDuration",
    "snap_to_silence": "snapToSilence",
    "overlap": "overlap",
    "trim": "trim",
    "audio_track": "audioTrack",
    "to": "outputFormat",
    "encoding": "encoding",
    "preset": "preset",
    "name": "fileName",
    "dry_run": "dryRun",
    "source_headers": "sourceHeaders",
    "webhook_url": "webhookUrl",
    "source_headers": "sourceHeaders",
    "metadata": "metadata",
}


def split_request(source_url: str, cut: Cut) -> dict[str, Any]:
    """The body of the request. Raises TypeError where it is not said how to cut, or twice."""
    given: dict[str, Any] = {name: value for name, value in cut.items() if value is not None and value is not False}
    if (service := given.pop("limits_for", None)) is not None:
        if service not in SPEECH_CUTS:
            raise TypeError(f"limits_for={service!r}: choose one of {', '.join(SPEECH_CUTS)}")
        given = {**SPEECH_CUTS[service], **given}
    if unknown := given.keys() - MODES.keys() - FIELDS.keys():
        raise TypeError(f"there is no {', '.join(sorted(unknown))}")
    modes = [name for name in MODES if name in given]
    if len(modes) > 1:
        raise TypeError(f"{' and '.join(modes)} exclude one another")
    if not modes and "max_size" not in given:
        raise TypeError("say how to cut, such as every=600, silence=True or max_size=25_000_000")
    request: dict[str, Any] = {"sourceUrl": source_url, "splitMode": "fileSize"}
    for name in modes:
        request["splitMode"], field = MODES[name]
        if given[name] is not True:
            request[field] = given[name]
    for name, field in FIELDS.items():
        if name in given:
            request[field] = given[name]
    if isinstance(request.get("snapToSilence"), (int, float)):
        request["snapToSilence"] = {"window": request["snapToSilence"]}
    return request
