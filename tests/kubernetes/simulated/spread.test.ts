import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenMusts, type SpreadConstraint, type SpreadPod, spreadOf } from './spread.ts';

const ZONE = 'topology.kubernetes.io/zone';
const MUST: SpreadConstraint = { topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
const node = (name: string, zone: string) => ({ metadata: { name, labels: { [ZONE]: zone } } });
const NODES = [node('one', 'a'), node('two', 'b'), node('three', 'c'), node('four', 'a')];

function pod(nodeName: string | undefined, hash = 'old', constraints = [MUST], leaving = false): SpreadPod {
  return {
    metadata: {
      name: 'any',
      uid: 'any',
      creationTimestamp: '2026-11-22T00:00:00Z',
      labels: { 'app.kubernetes.io/component': 'jobs', 'pod-template-hash': hash },
      ...(leaving ? { deletionTimestamp: '2026-11-22T00:00:00Z' } : {}),
    },
    spec: {
      containers: [],
      topologySpreadConstraints: constraints,
      ...(nodeName === undefined ? {} : { nodeName }),
    },
    status: { phase: 'Running' },
  };
}

test('a zone without a pod counts, and two nodes of a zone count together', () => {
  const [spread] = spreadOf([pod('one'), pod('four'), pod('two')], NODES);
  assert.deepEqual(spread?.counts, [2, 1, 0]);
  assert.equal(spread?.skew, 2);
  assert.deepEqual(brokenMusts([spread]), [`jobs by ${ZONE}: 2, 1, 0`]);
});

test('generations are spread apart from each other, and who leaves or waits counts nowhere', () => {
  const old = [pod('one'), pod('two'), pod('three')];
  const next = [pod('one', 'new'), pod(undefined, 'new'), pod('four', 'new', [MUST], true)];
  assert.deepEqual(
    spreadOf([...old, ...next], NODES).map(({ counts }) => counts),
    [
      [1, 1, 1],
      [1, 0, 0],
    ],
  );
});

test('a wish that is not kept breaks no must', () => {
  const wish = { ...MUST, whenUnsatisfiable: 'ScheduleAnyway' } as const;
  const spreads = spreadOf([pod('one', 'old', [wish]), pod('four', 'old', [wish])], NODES);
  assert.equal(spreads[0]?.skew, 2);
  assert.deepEqual(brokenMusts(spreads), []);
});
