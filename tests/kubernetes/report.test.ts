import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReport, type StepOutcome } from './report.ts';

const facts = {
  startedAt: new Date('2026-11-21T20:00:00Z'),
  kubernetes: '1.36.3',
  nodes: 2,
  cores: 2,
};
const step = (title: string, outcome: StepOutcome['outcome'], message = ''): StepOutcome => ({
  title,
  outcome,
  message,
  seconds: 61.4,
});

test('a run without a failure is reported as such', () => {
  const page = renderReport(facts, [step('one', 'passed')], []);
  assert.match(page, /on 2026-11-21: Kubernetes 1\.36\.3, 2 nodes .*; every step passed\.$/m);
});

test('failed and skipped steps both count', () => {
  const page = renderReport(
    facts,
    [step('one', 'passed'), step('two', 'FAILED'), step('three', 'left out')],
    [],
  );
  assert.match(page, /; 2 of 3 steps did not pass\.$/m);
});

test('the output of a step stays in its cell', () => {
  const page = renderReport(facts, [step('one', 'FAILED', 'a | b\nc')], []);
  assert.match(page, /^\| one \| FAILED \| 61 s \| a \\\| b c \|$/m);
});
