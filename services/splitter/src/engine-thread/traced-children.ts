import { isTraced, type Span, startSpan } from '@audiosplit/chassis/observability/spans';
import { currentTrace } from '@audiosplit/chassis/trace';
import type { ChildGroups } from './child-groups.ts';

/**
 * Shows ffmpeg's work for a split as one span of the running trace, from the start of the first process to
 * the end of the last; a span for each would mean thousands. A split without ffmpeg has no span. Dispose it
 * when the split has ended.
 */
export function traceChildren(children: ChildGroups): Disposable | undefined {
  const parent = currentTrace();
  if (parent === undefined || !isTraced()) return undefined;
  let span: Span | undefined;
  let processes = 0;
  let endedAtMs: number | undefined;
  const watching = children.watch(({ kind }) => {
    if (kind === 'child-started') {
      span ??= startSpan({ name: 'run ffmpeg', kind: 'internal', parent });
      processes += 1;
    }
    endedAtMs = children.count() === 0 ? performance.now() : undefined;
  });
  return {
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      span?.end({ atMs: endedAtMs, attributes: { 'audiosplit.ffmpeg.processes': processes } });
    },
  };
}
