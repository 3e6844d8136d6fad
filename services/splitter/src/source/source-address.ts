import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { toDirectLink } from './shared-links.ts';

/** The address of a source, and the headers of requests for it. */
export interface SourceAddress {
  readonly url: string;
  /** Sent only to the origin of `url`. */
  readonly originHeaders: SourceHeaders;
  readonly hasHeaders: boolean;
}

/**
 * The headers are meant for the given address: they are not sent if a shared link resolves to another origin.
 */
export function addressOf(given: string, headers: SourceHeaders = {}): SourceAddress {
  const url = toDirectLink(given);
  const hasHeaders = Object.keys(headers).length > 0;
  return { url, originHeaders: originOf(url) === originOf(given) ? headers : {}, hasHeaders };
}

/** The host that has answered, if a redirect led there and it therefore received no headers. */
export function hostWithoutHeaders(
  { url, hasHeaders }: SourceAddress,
  answeredBy: string,
): string | undefined {
  if (!hasHeaders || originOf(url) === originOf(answeredBy)) return undefined;
  return URL.parse(answeredBy)?.host;
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}
