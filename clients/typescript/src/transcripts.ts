/** What speech-to-text services answer, as lines with times. */

/** Seconds. */
export interface TranscriptLine {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A line of which each word has its time, where the service gives them. */
export interface SpokenLine extends TranscriptLine {
  readonly words?: readonly TranscriptLine[];
}

/**
 * An answer as the service gave it: of OpenAI and Groq `verbose_json` or `json`, of Deepgram with `utterances` or without, of
 * Azure's fast transcription; or lines that were read already. Times count from the beginning of the segment.
 */
export type TranscriptAnswer =
  | readonly SpokenLine[]
  | {
      readonly text?: string;
      readonly segments?: readonly TranscriptLine[];
      readonly words?: readonly { readonly start: number; readonly end: number; readonly word: string }[];
    }
  | { readonly results: DeepgramResults }
  | { readonly phrases: readonly AzurePhrase[] };

interface DeepgramWord {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  readonly punctuated_word?: string;
}

interface DeepgramResults {
  readonly utterances?: readonly {
    readonly start: number;
    readonly end: number;
    readonly transcript: string;
    readonly words?: readonly DeepgramWord[];
  }[];
  readonly channels?: readonly {
    readonly alternatives: readonly {
      readonly transcript: string;
      readonly words?: readonly DeepgramWord[];
    }[];
  }[];
}

interface AzurePhrase {
  readonly offsetMilliseconds: number;
  readonly durationMilliseconds: number;
  readonly text: string;
  readonly words?: readonly Omit<AzurePhrase, 'words'>[];
}

/** A text without times stands for the whole segment, of `duration` seconds. */
export function readTranscript(answer: TranscriptAnswer, duration: number): readonly SpokenLine[] {
  if (isLines(answer)) return answer;
  if ('results' in answer) return ofDeepgram(answer.results);
  if ('phrases' in answer) return answer.phrases.map(ofAzure);
  const { segments, text = '' } = answer;
  if (segments === undefined) return [{ start: 0, end: duration, text }];
  const words = (answer.words ?? []).map(({ word, ...times }) => ({ ...times, text: word }));
  return segments.map((line) => ({ ...line, ...wordsWithin(line, words) }));
}

/** OpenAI gives the words of all lines in one list, without punctuation: they stand for the line where all of them are there. */
function wordsWithin(line: TranscriptLine, words: readonly TranscriptLine[]): Pick<SpokenLine, 'words'> {
  const texts = line.text.trim().split(/\s+/);
  const own = words.filter(({ start, end }) => isWithin((start + end) / 2, line));
  if (own.length !== texts.length) return {};
  return { words: own.map((word, index) => ({ ...word, text: texts[index] ?? word.text })) };
}

function isWithin(time: number, { start, end }: TranscriptLine): boolean {
  return time >= start && time < end;
}

function ofDeepgram({ utterances, channels = [] }: DeepgramResults): readonly SpokenLine[] {
  const wordsOf = (words: readonly DeepgramWord[] = []) =>
    words.map(({ start, end, word, punctuated_word }) => ({ start, end, text: punctuated_word ?? word }));
  if (utterances !== undefined)
    return utterances.map(({ start, end, transcript, words }) => ({
      ...{ start, end, text: transcript },
      words: wordsOf(words),
    }));
  const { transcript = '', words = [] } = channels[0]?.alternatives[0] ?? {};
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ start: first.start, end: last.end, text: transcript, words: wordsOf(words) }];
}

function ofAzure({ offsetMilliseconds, durationMilliseconds, text, words }: AzurePhrase): SpokenLine {
  return {
    start: offsetMilliseconds / 1_000,
    end: (offsetMilliseconds + durationMilliseconds) / 1_000,
    text,
    ...(words === undefined ? {} : { words: words.map(ofAzure) }),
  };
}

function isLines(answer: TranscriptAnswer): answer is readonly SpokenLine[] {
  return Array.isArray(answer);
}
