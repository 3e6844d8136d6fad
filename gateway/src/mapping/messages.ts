import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Messages are always optional on the wire; these are the ones that our contracts promise. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`a service answered without ${what}`);
  return value;
}

export function toIsoTime(timestamp: Timestamp | undefined, what = 'a time'): string {
  return timestampDate(present(timestamp, what)).toISOString();
}

export function toIsoTimeOrNull(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : toIsoTime(timestamp);
}

/** Undefined for a time that ISO 8601 has and a Date has not, such as a leap second. */
export function fromIsoTime(time: string): Timestamp | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : timestampFromDate(date);
}

/** Checks that a service's word is one of those that the contract knows. */
export function oneOfWords<const T extends string>(words: readonly T[], value: string): T {
  const word = words.find((candidate) => candidate === value);
  return present(word, `one of ${words.join(', ')}`);
}
