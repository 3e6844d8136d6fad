/**
 * Carries the W3C trace context and the request id with a piece of work: from the gateway's request over RPC
 * headers, outbox rows and bus headers to the consumer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the parent of the next span. */
  readonly spanId: string;
  readonly requestId: string;
  /** Whether its spans are exported, as decided where it began; absent while undecided. */
  readonly isSampled?: boolean;
}

export const TRACEPARENT_HEADER = 'traceparent';
export const REQUEST_ID_HEADER = 'x-request-id';

/** https://www.w3.org/TR/trace-context/#sampled-flag */
const SAMPLED_FLAG = 1;

const storage = new AsyncLocalStorage<Trace>();

export function currentTrace(): Trace | undefined {
  return storage.getStore();
}

export function runInTrace<T>(trace: Trace, work: () => T): T {
  return storage.run(trace, work);
}

export function newTrace(requestId?: string): Trace {
  const traceId = randomHex(16);
  return { traceId, spanId: randomHex(8), requestId: requestId ?? `req_${traceId}` };
}

/** Reads the caller's headers; begins a new trace if they are absent or malformed. */
export function traceFromHeaders(get: (name: string) => string | null | undefined): Trace {
  const given = get(REQUEST_ID_HEADER);
  const requestId = given && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
  // Version 00 of https://www.w3.org/TR/trace-context/#traceparent-header
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(
    get(TRACEPARENT_HEADER) ?? '',
  );
  const [, traceId, spanId, flags] = match ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId)) return newTrace(requestId);
  const isSampled = (Number.parseInt(flags ?? '', 16) & SAMPLED_FLAG) !== 0;
  return { traceId, spanId, requestId: requestId ?? `req_${randomHex(16)}`, isSampled };
}

/** Random bytes are generated in bulk, because each call costs more than the bytes. */
const pool = Buffer.alloc(4_096);
let poolUsed = pool.length;

export function newSpanId(): string {
  return randomHex(8);
}

function randomHex(bytes: number): string {
  if (poolUsed + bytes > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  poolUsed += bytes;
  return pool.toString('hex', poolUsed - bytes, poolUsed);
}

/** The headers that pass on the running trace; empty outside of one. */
export function traceHeaders(): Record<string, string> {
  const trace = currentTrace();
  if (trace === undefined) return {};
  return {
    [TRACEPARENT_HEADER]: `00-${trace.traceId}-${trace.spanId}-${trace.isSampled === false ? '00' : '01'}`,
    [REQUEST_ID_HEADER]: trace.requestId,
  };
}
