/** What speech-to-text services take at most in one request, and the cut that stays below it. */
import type { CutRequest } from './cut-request.ts';

export interface SpeechService {
  /** As its maker writes it. */
  readonly name: string;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Seconds. Absent: no bound but that of the file. */
  readonly maxDuration?: number;
  /** Where the figures stand. */
  readonly source: string;
}

export const SPEECH_SERVICES = {
  openai: {
    name: 'OpenAI',
    maxFileSize: 25_000_000,
    // Not in the guide: "longer than 1400 seconds which is the maximum for this model", of gpt-4o-transcribe.
    maxDuration: 1_400,
    source: 'https://platform.openai.com/docs/guides/speech-to-text',
  },
  groq: {
    name: 'Groq',
    // Of the free tier and of each upload; files that are linked may have 100 MB on the paid tier.
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
    // Of fast transcription: less than 300 MB and less than two hours.
    maxFileSize: 300_000_000,
    maxDuration: 7_200,
    source: 'https://learn.microsoft.com/azure/ai-services/speech-service/fast-transcription-create',
  },
} as const satisfies Readonly<Record<string, SpeechService>>;

export type SpeechServiceId = keyof typeof SPEECH_SERVICES;
export const SPEECH_SERVICE_IDS = Object.keys(SPEECH_SERVICES) as SpeechServiceId[];

/** The form around a file counts for some services. */
const SIZE_SHARE = 0.98;
/** Decoders count the frames of an mp3 in several ways. */
const DURATION_MARGIN_SECONDS = 10;
/** A cut moves back into a silence by so much. */
const WINDOW_SECONDS = 10;

/** The fewest segments that the service takes, cut in silences where there are any. */
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
