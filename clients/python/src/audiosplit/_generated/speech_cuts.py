# Made from the description of the API by `npm run generate -- python`. Changes are lost.

from __future__ import annotations

from typing import Any, Literal, TypeAlias

SpeechService: TypeAlias = Literal["openai", "groq", "deepgram", "azure"]
SPEECH_CUTS: dict[str, dict[str, Any]] = {
    "openai": {"max_size":24500000,"max_duration":1390,"snap_to_silence":{"window":10},"preset":"speech"},
    "groq": {"max_size":24500000,"snap_to_silence":{"window":10},"preset":"speech"},
    "deepgram": {"max_size":1960000000,"snap_to_silence":{"window":10},"preset":"speech"},
    "azure": {"max_size":294000000,"max_duration":7190,"snap_to_silence":{"window":10},"preset":"speech"},
}
