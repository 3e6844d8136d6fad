import { HEADER_VALUE } from '@audiosplit/proto/source-headers';

/**
 * Patterns with a message each, so that no caller has to read a regular expression. Without property escapes, which few
 * other languages support.
 */
export const PATTERNS = {
  printable: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  sourceUrl: '^(?:[Hh][Tt][Tt][Pp][Ss]?|s3)://',
  webUrl: '^[Hh][Tt][Tt][Pp][Ss]?://',
  period: '^(current|previous|2\\d{3}-(0[1-9]|1[0-2]))$',
  jobEventId: '^(?:\\d|[1-9]\\d|100|101)$',
  time: '^(?:\\d{1,3}:[0-5]?\\d|\\d{1,3}):[0-5]\\d(?:\\.\\d{1,3})?$',
  silenceThreshold: '^auto$',
  language: '^[A-Za-z]{2,3}$',
  plainFileName: '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f/\\\\]*$',
  headerValue: HEADER_VALUE,
  connectionName: '^[a-z0-9][a-z0-9-]{0,62}$',
  region: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
  bucket: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
  accessKeyId: '^[!-~]{1,256}$',
  secretAccessKey: '^[!-~]{8,1024}$',
} as const;

export const PATTERN_MESSAGES: Readonly<Record<string, string>> = {
  [PATTERNS.printable]: 'must not contain control characters',
  [PATTERNS.sourceUrl]: 'must be a URL that begins with http:// or https://, or s3://connection/key',
  [PATTERNS.webUrl]: 'must be a URL that begins with http:// or https://',
  [PATTERNS.period]: 'must be current, previous or a month as YYYY-MM',
  [PATTERNS.jobEventId]: 'must be the id of an event of this stream, from 0 to 101',
  [PATTERNS.time]: 'must be seconds, or a time as [H:]M:SS[.mmm]',
  [PATTERNS.silenceThreshold]: 'must be auto, or a number of dBFS',
  [PATTERNS.language]: 'must be an index from 0, or a language code of ISO 639',
  [PATTERNS.plainFileName]: 'must be a plain file name, without slashes, backslashes or control characters',
  [PATTERNS.connectionName]:
    'must be 1 to 63 lower-case letters, digits and hyphens, and must not begin with a hyphen',
  [PATTERNS.region]: 'must be 1 to 63 lower-case letters, digits and hyphens',
  [PATTERNS.bucket]: 'must be 3 to 63 lower-case letters, digits, dots and hyphens',
  [PATTERNS.accessKeyId]: 'must be 1 to 256 printable ASCII characters without spaces',
  [PATTERNS.secretAccessKey]: 'must be 8 to 1024 printable ASCII characters without spaces',
  [PATTERNS.headerValue]: 'must be printable ASCII characters, without spaces around them',
};
