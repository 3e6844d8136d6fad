/** Settings for common reasons to split recordings. */
import type { CutRequest } from './cut-request.ts';
import { cutForSpeech, SPEECH_SERVICE_IDS, SPEECH_SERVICES } from './speech-services.ts';

export interface BuiltInPreset {
  readonly id: string;
  readonly name: string;
  readonly request: CutRequest;
  /** The page with its figures, if it is made for a service. */
  readonly source?: string;
}

export const BUILT_IN_PRESETS: readonly BuiltInPreset[] = [
  ...SPEECH_SERVICE_IDS.map((id) => ({
    id,
    name: `Speech to text: ${SPEECH_SERVICES[id].name}`,
    request: cutForSpeech(id),
    source: SPEECH_SERVICES[id].source,
  })),
  {
    id: 'podcast-chapters',
    name: 'Podcast chapters',
    request: { splitMode: 'chapters', fileName: '{number} {title}' },
  },
  {
    id: 'audiobook',
    name: 'Audiobook',
    // Readers pause longer between sections than between sentences. ACX takes files of up to 120 minutes.
    request: {
      splitMode: 'silence',
      silence: { minSilence: 2, minDuration: 300 },
      maxDuration: 7_200,
      snapToSilence: { window: 30 },
      fileName: '{name} {number}',
    },
    source: 'https://help.acx.com/s/article/what-are-the-acx-audio-submission-requirements',
  },
];
