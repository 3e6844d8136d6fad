/** Checks every response of an installation against its own /openapi.json. */
import { type DescriptionCheck, fetchDescriptionCheck } from '@audiosplit/gateway/testing/description-check';

const checks = new Map<string, Promise<DescriptionCheck>>();

export function descriptionCheckOf(baseUrl: string): Promise<DescriptionCheck> {
  const check = checks.get(baseUrl) ?? fetchDescriptionCheck(baseUrl);
  checks.set(baseUrl, check);
  return check;
}

/** A `fetch` for a client that adds the headers to each request. */
export function checkedFetch(baseUrl: string, headers: Readonly<Record<string, string>> = {}): typeof fetch {
  return async (url, given) => {
    const own = new Headers(given?.headers);
    for (const [name, value] of Object.entries(headers)) own.set(name, value);
    const init = { ...given, headers: own };
    // Before the request: afterwards the installation may be gone, and with it the description.
    const check = await descriptionCheckOf(baseUrl);
    const response = await fetch(url, init);
    await check(init.method ?? '', new URL(String(url)), response);
    return response;
  };
}
