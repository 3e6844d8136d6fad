/** The maximum that speech-to-text services accept in one request, and the cut that stays below it. */
import type { CutRequest } from './cut-request.ts';

export interface SpeechService {
  /** The maker's spelling. */
  readonly name: string;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Seconds. Absent: only the file size is bounded. */
  readonly maxDuration?: number;
  /** The page with the figures. */
  readonly source: string;
}

export const SPEECH_SERVICES = {
  openai: {
    name: 'OpenAI',
    maxFileSize: 25_000_000,
    // Not in the guide but in an error of gpt-4o-transcribe: "longer than 1400 seconds which is the maximum
    // for this model".
    maxDuration: 1_400,
    source: 'https://platform.openai.com/docs/guides/speech-to-text',
  },
  groq: {
    name: 'Groq',
    // For each upload on the free tier; linked files may have 100 MB on the paid tier.
    maxFileSize: 25_000_000,
    source: 'https://console.groq.com/docs/speech-to-text',
  },
  deepgram: {
    name: 'Deepgram',
    maxFileSize: 2_000_000_000,
    source: 'https://developers.deepgram.com/docs/pre-recorded-audio',
  },
  azure: {
    name: 'Azure',
    // For fast transcription: less than 300 MB and less than two hours.
    maxFileSize: 300_000_000,
    maxDuration: 7_200,
    source: 'https://learn.microsoft.com/azure/ai-services/speech-service/fast-transcription-create',
  },
} as const satisfies Readonly<Record<string, SpeechService>>;

export type SpeechServiceId = keyof typeof SPEECH_SERVICES;
export const SPEECH_SERVICE_IDS = Object.keys(SPEECH_SERVICES) as SpeechServiceId[];

/** Some services count the form around a file. */
const SIZE_SHARE = 0.98;
/** Decoders count the frames of an mp3 differently. */
const DURATION_MARGIN_SECONDS = 10;
/** The maximum that a cut moves back into a silence. */
const WINDOW_SECONDS = 10;

/** The minimum number of segments that the service accepts, cut in silences if there are any. */
export function cutForSpeech(id: SpeechServiceId): CutRequest {
  const { maxFileSize, maxDuration }: SpeechService = SPEECH_SERVICES[id];
  return {
    splitMode: 'fileSize',
    maxFileSize: maxFileSize * SIZE_SHARE,
    ...(maxDuration === undefined ? {} : { maxDuration: maxDuration - DURATION_MARGIN_SECONDS }),
    snapToSilence: { window: WINDOW_SECONDS },
    preset: 'speech',
  };
}
