import type { SourceHeaders } from '@audiosplit/proto/source-headers';

/** Shorter values are no secrets, and removing them would damage messages. */
const MIN_LENGTH = 6;

/**
 * A source may repeat request headers, for example in the title of a page. Errors that are shown or logged
 * contain no header values.
 */
export function withoutValues(error: unknown, headers: SourceHeaders): unknown {
  const secrets = Object.values(headers)
    .flatMap((value) => [value, ...value.split(' ')])
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((a, b) => b.length - a.length);
  for (let shown = error; shown instanceof Error; shown = shown.cause) {
    for (const secret of secrets) {
      shown.message = shown.message.replaceAll(secret, '…');
      if (shown.stack !== undefined) shown.stack = shown.stack.replaceAll(secret, '…');
    }
  }
  return error;
}
