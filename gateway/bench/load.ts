/** A closed loop: each caller sends its next request when it has its response. */
import { type Dispatcher, Pool } from 'undici';

export interface RequestShape {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly expectedStatus: number;
  /** Number of responses with another status that are still right. */
  readonly maxOtherAnswers?: number;
}

interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const CALLERS = 16;

/**
 * `asked` is one request for all callers, or one for each. Throws on an unexpected status, which would make the figure
 * meaningless.
 */
export async function load(
  url: string,
  asked: RequestShape | ((caller: number) => RequestShape),
  requests: number,
): Promise<LoadResult> {
  const pool = new Pool(url, { connections: CALLERS, pipelining: 1 });
  const latenciesMs: number[] = [];
  let left = requests;
  let otherAnswers = 0;
  const begin = performance.now();
  try {
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        const shape = typeof asked === 'function' ? asked(caller) : asked;
        while (left-- > 0) {
          const sentMs = performance.now();
          const status = await ask(pool, shape);
          if (status !== shape.expectedStatus && ++otherAnswers > (shape.maxOtherAnswers ?? 0)) {
            throw new Error(`${shape.method} ${shape.path} answered ${status}`);
          }
          latenciesMs.push(performance.now() - sentMs);
        }
      }),
    );
  } finally {
    await pool.close();
  }
  latenciesMs.sort((one, other) => one - other);
  const at = (share: number) => latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? Number.NaN;
  return { requests, seconds: (performance.now() - begin) / 1_000, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function ask(pool: Dispatcher, { method, path, headers = {}, body }: RequestShape): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    pool.dispatch(
      { method, path, headers, ...(body === undefined ? {} : { body }) },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData() {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
