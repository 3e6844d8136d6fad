import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenToSpans, type SpanEnd } from '@audiosplit/chassis/observability/spans';
import { newTrace, runInTrace } from '@audiosplit/chassis/trace';
import { createChildGroups } from './child-groups.ts';
import { traceChildren } from './traced-children.ts';

const trace = { ...newTrace(), isSampled: true };

/** The names of the started spans, and how they ended. */
function collectSpans() {
  const started: string[] = [];
  const ended: SpanEnd[] = [];
  const listening = listenToSpans({
    start(parent, { name }) {
      started.push(name);
      return { trace: parent, end: (end = {}) => void ended.push(end) };
    },
  });
  return { started, ended, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

test('nothing is watched if nothing is traced', () => {
  assert.equal(
    runInTrace(trace, () => traceChildren(createChildGroups())),
    undefined,
  );
});

test('all processes of a split are one span, which ends with the last of them', () => {
  using spans = collectSpans();
  const children = createChildGroups();
  {
    using _ = runInTrace(trace, () => traceChildren(children));
    // Left over from the previous split.
    children.note({ kind: 'child-ended', pid: 1 });
    assert.deepEqual(spans.started, []);
    for (const pid of [2, 3]) children.note({ kind: 'child-started', pid });
    children.note({ kind: 'child-ended', pid: 2 });
    children.note({ kind: 'child-ended', pid: 3 });
    assert.equal(spans.ended.length, 0);
  }
  const gone = performance.now();
  assert.deepEqual(spans.started, ['run ffmpeg']);
  const [end, ...more] = spans.ended;
  assert.deepEqual(more, []);
  assert.deepEqual(end?.attributes, { 'audiosplit.ffmpeg.processes': 2 });
  assert.ok(end.atMs !== undefined && end.atMs <= gone);
  children.note({ kind: 'child-started', pid: 4 });
  assert.equal(spans.started.length, 1, 'it is watched no more');
});

test('a process that outlives its split ends the span with the split', () => {
  using spans = collectSpans();
  const children = createChildGroups();
  {
    using _ = runInTrace(trace, () => traceChildren(children));
    children.note({ kind: 'child-started', pid: 1 });
  }
  assert.deepEqual(spans.ended, [{ atMs: undefined, attributes: { 'audiosplit.ffmpeg.processes': 1 } }]);
});

test('a split without ffmpeg has no span', () => {
  using spans = collectSpans();
  {
    using _ = runInTrace(trace, () => traceChildren(createChildGroups()));
  }
  assert.deepEqual([spans.started, spans.ended], [[], []]);
});
