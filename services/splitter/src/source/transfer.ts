import {
  EgressError,
  type EgressResponse,
  type EnterHost,
  type GuardedEgress,
} from '@audiosplit/chassis/egress/egress';
import { createCountDown } from '@audiosplit/chassis/process/count-down';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import type { FetchTime } from './fetch-time.ts';
import { SOURCE_HEADERS, type SourceLimits } from './source-limits.ts';

/** The bytes of a source over one connection. It exists once the first bytes have arrived. */
export interface Transfer {
  readonly headers: EgressResponse['headers'];
  readonly isEmpty: boolean;
  /** Undefined at the end. Rejects with EgressError. */
  next(): Promise<Uint8Array | undefined>;
  destroy(): void;
}

export interface TransferOptions {
  readonly egress: GuardedEgress;
  readonly url: string;
  /** Sent only to the origin of the URL. */
  readonly originHeaders: SourceHeaders;
  readonly limits: SourceLimits;
  readonly fetchTime: FetchTime;
  readonly enterHost: EnterHost;
  readonly accountId: string | undefined;
  readonly signal: AbortSignal;
}

export interface TransferRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBodyBytes: number;
  /** Throws for a response whose body must not be read. */
  readonly accept: (response: EgressResponse) => void;
}

/** Throws EgressError, or the error of `accept`. */
export async function startTransfer(
  { egress, url, originHeaders, limits, fetchTime, enterHost, accountId, signal }: TransferOptions,
  { headers, maxBodyBytes, accept }: TransferRequest,
): Promise<Transfer> {
  const { maxRedirects, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = limits;
  let response: EgressResponse | undefined;
  // Until there is a response the egress counts the same time, and its error says more exactly what was
  // missing.
  const firstByte = createCountDown(firstByteTimeoutMs, () => {
    const message = `The server sent no byte of its response within ${firstByteTimeoutMs / 1_000} s.`;
    response?.body.destroy(new EgressError('timeout', message));
  });
  const enterOutsideTime: EnterHost = async (host, hostSignal) => {
    firstByte.stop();
    try {
      return await fetchTime.notCounting(() => enterHost(host, hostSignal));
    } finally {
      firstByte.start();
    }
  };
  firstByte.start();
  try {
    response = await fetchTime.counting(() =>
      egress.request(url, {
        method: 'GET',
        headers: { ...SOURCE_HEADERS, ...headers },
        originHeaders,
        maxRedirects,
        connectTimeoutMs,
        headersTimeoutMs: firstByteTimeoutMs,
        idleTimeoutMs,
        maxBodyBytes,
        enterHost: enterOutsideTime,
        accountId,
        signal,
      }),
    );
    accept(response);
    return await readFirst(response, fetchTime);
  } catch (error) {
    response?.body.destroy();
    throw error;
  } finally {
    firstByte.stop();
  }
}

async function readFirst({ headers, body }: EgressResponse, fetchTime: FetchTime): Promise<Transfer> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const read = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await fetchTime.counting(() => chunks.next());
    return done === true ? undefined : value;
  };
  let first: Uint8Array | undefined = await read();
  let isFirstGiven = false;
  return {
    headers,
    isEmpty: first === undefined,
    async next() {
      if (isFirstGiven) return read();
      isFirstGiven = true;
      const chunk = first;
      first = undefined;
      return chunk;
    },
    destroy: () => body.destroy(),
  };
}
