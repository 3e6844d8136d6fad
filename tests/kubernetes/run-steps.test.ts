import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseSteps, type Step } from './run-steps.ts';

const step = (title: string, isVital = false, isOptional = false): Step<object> => {
  return { title, isVital, isOptional, run: async () => '' };
};
const STEPS = [
  step('policies'),
  step('install', true),
  step('an upgrade'),
  step('second', true),
  step('end'),
  step('load', false, true),
];
const chosen = (words?: string) => chooseSteps(STEPS, words).map(({ title }) => title);

test('all steps but optional ones are chosen if no words are given', () => {
  assert.deepEqual(chosen(), ['policies', 'install', 'an upgrade', 'second', 'end']);
});

test('a chosen step comes after those that it depends on', () => {
  assert.deepEqual(chosen('upgrade'), ['install', 'an upgrade']);
  assert.deepEqual(chosen('end'), ['install', 'second', 'end']);
  assert.deepEqual(chosen('load'), ['install', 'second', 'load']);
  assert.deepEqual(chosen('policies'), ['policies']);
});

test('words that occur in no title choose nothing', () => {
  assert.deepEqual(chosen('ingress'), []);
});
