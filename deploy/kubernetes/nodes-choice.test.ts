import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseNodes, type MachineFacts } from './nodes-choice.ts';

const ABLE: MachineFacts = {
  isLinux: true,
  isRoot: true,
  hasNamespaces: true,
  hasControlGroups: true,
  hasContainerd: true,
};

test('nodes are real where all that they need is here, unless simulated ones are asked for', () => {
  assert.equal(chooseNodes(undefined, ABLE).kind, 'real');
  assert.equal(chooseNodes('real', ABLE).kind, 'real');
  assert.deepEqual(chooseNodes('simulated', ABLE), {
    kind: 'simulated',
    why: 'as asked: nodes are simulated by kwok; pods are scheduled and do not run',
  });
});

test('elsewhere they are simulated, and what is missing is said', () => {
  const { kind, why } = chooseNodes(undefined, { ...ABLE, isRoot: false });
  assert.equal(kind, 'simulated');
  assert.match(why, /^not root: nodes are simulated/);
  assert.match(chooseNodes(undefined, { ...ABLE, hasControlGroups: false }).why, /^no control groups/);
});

test('real nodes that cannot be are refused, with everything that is missing', () => {
  assert.throws(
    () => chooseNodes('real', { ...ABLE, hasNamespaces: false, hasContainerd: false }),
    /no namespaces .*, neither containerd .*--nodes simulated/,
  );
});

test('off Linux there are neither', () => {
  const facts = { ...ABLE, isLinux: false };
  for (const asked of [undefined, 'real', 'simulated'] as const) {
    assert.throws(() => chooseNodes(asked, facts), /Linux/);
  }
});
