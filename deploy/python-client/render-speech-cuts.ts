import { cutForSpeech, SPEECH_SERVICE_IDS } from '@audiosplit/cuts/speech-services';

/** The limits of speech-to-text services, as arguments of the Python client. */
export function renderSpeechCuts(): string {
  const cuts = SPEECH_SERVICE_IDS.map((id) => {
    const { maxFileSize, maxDuration, snapToSilence, preset } = cutForSpeech(id);
    const words = {
      max_size: maxFileSize,
      max_duration: maxDuration,
      snap_to_silence: snapToSilence,
      preset,
    };
    return `    "${id}": ${JSON.stringify(words)},\n`;
  });
  return `
from __future__ import annotations

from typing import Any, Literal, TypeAlias

SpeechService: TypeAlias = Literal[${SPEECH_SERVICE_IDS.map((id) => `"${id}"`).join(', ')}]
SPEECH_CUTS: dict[str, dict[str, Any]] = {
${cuts.join('')}}
`;
}
