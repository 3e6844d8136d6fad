import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Fields of protobuf messages are optional; this asserts one that the contract guarantees. */
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

/** Undefined for a time that Date cannot represent, such as a leap second. */
export function fromIsoTime(time: string): Timestamp | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : timestampFromDate(date);
}

/** Asserts that a value from a service is one that the contract lists. */
export function oneOfWords<const T extends string>(words: readonly T[], value: string): T {
  const word = words.find((candidate) => candidate === value);
  return present(word, `one of ${words.join(', ')}`);
}
