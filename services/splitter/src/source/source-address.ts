import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { toDirectLink } from './shared-links.ts';

/** Where a source is asked for, and with what. */
export interface SourceAddress {
  readonly url: string;
  /** For the origin of `url` only. */
  readonly originHeaders: SourceHeaders;
  readonly hasHeaders: boolean;
}

/** The headers are meant for the given address: behind a shared link of another origin they are not sent. */
export function addressOf(given: string, headers: SourceHeaders = {}): SourceAddress {
  const url = toDirectLink(given);
  const hasHeaders = Object.keys(headers).length > 0;
  return { url, originHeaders: originOf(url) === originOf(given) ? headers : {}, hasHeaders };
}

/** The host that has answered, where it did not get the headers because a redirect has led there. */
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
