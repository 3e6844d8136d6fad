/**
 * The deadline of the running call. Its own calls (call-bounds.ts) and its statements
 * (postgres/bounded-queries.ts) get only the time that is left.
 *
 * A deadline ends with its call: background work that the call leaves behind has no caller and is not
 * bounded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Deadline {
  /** On performance.now's clock. */
  readonly atMs: number;
  readonly outer: Deadline | undefined;
  isOver: boolean;
}

export interface RunningDeadline {
  run<T>(work: () => T): T;
  /** Call it when the response is ready: from then on the deadline bounds nothing. */
  end(): void;
}

const storage = new AsyncLocalStorage<Deadline>();

/** A deadline `timeoutMs` from now, or that of the running call if it is earlier. */
export function startDeadline(timeoutMs: number): RunningDeadline {
  const outer = storage.getStore();
  const deadline: Deadline = { atMs: performance.now() + timeoutMs, outer, isOver: false };
  return {
    run: (work) => storage.run(deadline, work),
    end() {
      deadline.isOver = true;
    },
  };
}

/** Milliseconds left to the running call, negative if it is late; undefined without a deadline. */
export function timeLeftMs(): number | undefined {
  let atMs: number | undefined;
  for (let deadline = storage.getStore(); deadline !== undefined; deadline = deadline.outer) {
    if (!deadline.isOver && (atMs === undefined || deadline.atMs < atMs)) atMs = deadline.atMs;
  }
  return atMs === undefined ? undefined : atMs - performance.now();
}

/** The timeout in a remote call's headers: Connect's in milliseconds, gRPC's in a unit that it names. */
export function timeoutFromHeaders(headers: Headers): number | undefined {
  const ofConnect = headers.get('connect-timeout-ms');
  if (ofConnect !== null) return /^\d{1,10}$/.test(ofConnect) ? Number(ofConnect) : undefined;
  const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(headers.get('grpc-timeout') ?? '') ?? [];
  return amount === undefined || unit === undefined ? undefined : Number(amount) * (MS_OF_UNIT[unit] ?? 1);
}

/** https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, TimeoutUnit. */
const MS_OF_UNIT: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
