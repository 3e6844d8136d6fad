/**
 * Reads k6's JSON output line by line and keeps a few numbers per request, so that hours of load fit into
 * memory.
 *
 * A line is `{"metric": …, "type": "Point", "data": {"time", "value", "tags"}}`; all others are skipped.
 */
import type { AnswerVerdict } from './refusal.ts';

export interface RequestSample {
  readonly atMs: number;
  readonly durationMs: number;
  readonly scenario: string;
  /** The HTTP status, or gRPC's, where 0 is OK. */
  readonly status: number;
  readonly isExpected: boolean;
  /** Set by journeys that are compared window by window. */
  readonly window: string | undefined;
}

export interface WindowAnswer {
  /** X-RateLimit-Reset, or `none` if it was missing. */
  readonly window: string;
  readonly verdict: AnswerVerdict;
}

export interface Samples {
  readonly requests: readonly RequestSample[];
  readonly answers: readonly WindowAnswer[];
  readonly checks: ReadonlyMap<string, { readonly passes: number; readonly fails: number }>;
  /** From the request to the poll that found the job completed; without the jobs of the preparations. */
  readonly jobSeconds: readonly number[];
  readonly droppedIterations: number;
}

/** Requests before any scenario begins: preparations do not count as load. */
export const SETUP = 'setup';

interface Point {
  readonly metric: string;
  readonly data: { readonly time: string; readonly value: number; readonly tags?: Record<string, string> };
}

const WANTED =
  /^\{"metric":"(http_req_duration|grpc_req_duration|limit_answers|checks|job_seconds|dropped_iterations)","type":"Point"/;

export function collectSamples(): Samples & { readonly add: (line: string) => void } {
  const requests: RequestSample[] = [];
  const answers: WindowAnswer[] = [];
  const checks = new Map<string, { passes: number; fails: number }>();
  const jobSeconds: number[] = [];
  let droppedIterations = 0;
  return {
    requests,
    answers,
    checks,
    jobSeconds,
    get droppedIterations() {
      return droppedIterations;
    },
    add(line) {
      if (!WANTED.test(line)) return;
      const { metric, data } = JSON.parse(line) as Point;
      const { value, tags = {} } = data;
      const scenario = tags.scenario ?? SETUP;
      switch (metric) {
        case 'http_req_duration':
        case 'grpc_req_duration': {
          const status = Number(tags.status ?? 0);
          requests.push({
            // k6 sets a request's time when it has ended.
            atMs: Date.parse(data.time),
            durationMs: value,
            scenario,
            status,
            isExpected: metric === 'grpc_req_duration' ? status === 0 : tags.expected_response !== 'false',
            window: tags.window,
          });
          return;
        }
        case 'limit_answers':
          answers.push({
            window: tags.window ?? 'none',
            verdict: (tags.verdict ?? 'other') as AnswerVerdict,
          });
          return;
        case 'checks': {
          const { passes, fails } = checks.get(tags.check ?? '') ?? { passes: 0, fails: 0 };
          checks.set(tags.check ?? '', { passes: passes + value, fails: fails + 1 - value });
          return;
        }
        case 'job_seconds':
          if (scenario !== SETUP) jobSeconds.push(value);
          return;
        case 'dropped_iterations':
          droppedIterations += value;
      }
    },
  };
}
