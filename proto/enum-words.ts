/** The words of vocabulary.ts, each with its value of the enum. */
import { BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import { JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import * as words from './vocabulary.ts';

interface EnumWords<W extends string, E extends number> {
  toEnum(word: W): E;
  /** Undefined where the value is unspecified, or of a newer version. */
  toWord(value: E): W | undefined;
}

export const outputFormats: EnumWords<words.OutputFormat, OutputFormat> = pair(
  words.OUTPUT_FORMATS,
  OutputFormat,
);
export const jobStatuses: EnumWords<words.JobStatus, JobStatus> = pair(words.JOB_STATUSES, JobStatus);

export const bucketActions: EnumWords<words.BucketAction, BucketAction> = pair(
  words.BUCKET_ACTIONS,
  BucketAction,
);

/** `fileSize` → `FILE_SIZE`. */
type EnumKey<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Uppercase<Head> : `_${Head}`}${EnumKey<Rest>}`
  : '';

/** A word without a value does not compile; enum-words.test.ts finds a value without a word. */
function pair<W extends string, E extends number>(
  all: readonly W[],
  values: Readonly<Record<EnumKey<W>, E>>,
): EnumWords<W, E> {
  const keyOf = (word: W) => word.replace(/[A-Z]/g, '_$&').toUpperCase() as EnumKey<W>;
  const byWord = Object.fromEntries(all.map((word) => [word, values[keyOf(word)]])) as Record<W, E>;
  const byValue = new Map(all.map((word) => [byWord[word], word]));
  return {
    toEnum: (word) => byWord[word],
    toWord: (value) => byValue.get(value),
  };
}
