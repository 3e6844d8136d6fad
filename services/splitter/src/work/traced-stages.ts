import { inSpan, isTraced, type Span, startSpan } from '@audiosplit/chassis/observability/spans';
import type { JobRunner } from './run-job.ts';

type Stages = Pick<JobRunner, 'openSource' | 'split'>;

/**
 * The stages of an attempt as spans: the source until its first byte, then reading and splitting it, and
 * within that the time from the first stored segment to the last. A span for each segment would mean
 * thousands.
 */
export function traceStages<T extends Stages>(runner: T): T {
  if (!isTraced()) return runner;
  return {
    ...runner,
    openSource: (url, options) =>
      inSpan({ name: 'fetch source', kind: 'client' }, () => runner.openSource(url, options)),
    split: (options) =>
      inSpan({ name: 'split', kind: 'internal' }, async () => {
        let storing: Span | undefined;
        let segments = 0;
        try {
          return await runner.split({
            ...options,
            async onSegment(segment) {
              storing ??= startSpan({ name: 'store segments', kind: 'client' });
              await options.onSegment(segment);
              segments += 1;
            },
          });
        } finally {
          storing?.end({ attributes: { 'audiosplit.segments': segments } });
        }
      }),
  };
}
