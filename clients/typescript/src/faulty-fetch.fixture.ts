/** The client's `fetch`, with faults of networks and proxies. */
import type { Fetch } from './request.ts';

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

export interface FaultyFetch {
  readonly fetch: Fetch;
  /** All requests so far, including lost ones. */
  readonly seen: SeenRequest[];
  /** Faults for the next requests, one each. */
  readonly faults: ((ask: () => Promise<Response>, request: SeenRequest) => Promise<Response>)[];
}

export function createFaultyFetch(): FaultyFetch {
  const seen: SeenRequest[] = [];
  const faults: FaultyFetch['faults'] = [];
  return {
    seen,
    faults,
    fetch: (url, init) => {
      const request = { method: init.method ?? '', url, headers: new Headers(init.headers) };
      seen.push(request);
      const ask = () => fetch(url, init);
      return faults.shift()?.(ask, request) ?? ask();
    },
  };
}

const connectionReset = () => new TypeError('fetch failed', { cause: new Error('ECONNRESET') });

/** The request does not arrive. */
export const unreachable = async (): Promise<Response> => {
  throw connectionReset();
};

/** The response is lost after the request was served. */
export const answerLost = async (ask: () => Promise<Response>): Promise<Response> => {
  await (await ask()).arrayBuffer();
  throw connectionReset();
};

/** A response of a proxy in between. */
export const answerOfProxy =
  (status: number, headers: Record<string, string> = {}, body = '<h1>Sorry</h1>') =>
  async (): Promise<Response> =>
    new Response(body, { status, headers });

/** Breaks the stream after this many events. */
export const cutAfterEvents =
  (count: number) =>
  async (ask: () => Promise<Response>): Promise<Response> => {
    const response = await ask();
    let left = count;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        if (new TextDecoder().decode(chunk).includes('data:') && --left === 0)
          controller.error(connectionReset());
      },
    });
    return new Response(response.body?.pipeThrough(cut) ?? null, response);
  };
