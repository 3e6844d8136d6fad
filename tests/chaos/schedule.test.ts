import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAULTS } from './faults/catalog.ts';
import type { RunShape } from './run-shape.ts';
import { claimsOf, planInjections } from './schedule.ts';

const shape: RunShape = {
  gateways: ['gateway-0', 'gateway-1'],
  splitters: ['splitter-0', 'splitter-1', 'splitter-2'],
  services: ['jobs', 'billing', 'auth'],
  leaseMs: 6_000,
};

function plan(seed: number, injections: number) {
  return planInjections({ seed, injections, faults: FAULTS, shape, pauseMs: [100, 200] });
}

const planned = (seed: number, injections: number) =>
  plan(seed, injections).map(({ fault, target, holdMs, pauseMs, random }) => [
    fault.kind,
    target,
    holdMs,
    pauseMs,
    random.next(),
  ]);

test('a seed determines everything, and another seed gives another schedule', () => {
  assert.deepEqual(planned(7, 60), planned(7, 60));
  assert.notDeepEqual(planned(7, 60), planned(8, 60));
});

test('a shorter run is the start of a longer one', () => {
  assert.deepEqual(planned(7, 40), planned(7, 90).slice(0, 40));
});

test('every kind occurs once before any occurs again', () => {
  const kinds = plan(3, FAULTS.length * 2).map(({ fault }) => fault.kind);
  const all = FAULTS.map(({ kind }) => kind).sort();
  assert.deepEqual(kinds.slice(0, FAULTS.length).sort(), all);
  assert.deepEqual(kinds.slice(FAULTS.length).sort(), all);
});

test('a freeze lasts longer than a lease', () => {
  const frozen = plan(5, 300).filter(({ fault }) => fault.kind === 'splitter-freeze');
  assert.ok(frozen.length > 0);
  for (const { holdMs } of frozen) assert.ok(holdMs > shape.leaseMs);
});

test('a storm claims every splitter, so that no other fault hits one of them', () => {
  const storm = plan(1, FAULTS.length).find(({ fault }) => fault.kind === 'rebalance-storm');
  assert.ok(storm);
  assert.deepEqual(claimsOf(storm, shape), shape.splitters);
});

test('kinds and titles are unique, and there are at least fourteen', () => {
  assert.equal(new Set(FAULTS.map(({ kind }) => kind)).size, FAULTS.length);
  assert.equal(new Set(FAULTS.map(({ title }) => title)).size, FAULTS.length);
  assert.ok(FAULTS.length >= 14);
});
