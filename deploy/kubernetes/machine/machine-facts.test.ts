import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAble, type MachineFacts } from './machine-facts.ts';

const ABLE: MachineFacts = {
  isLinux: true,
  isRoot: true,
  hasNamespaces: true,
  hasControlGroups: true,
  hasContainerd: true,
};

test('a machine with everything that nodes need is accepted', () => {
  assert.doesNotThrow(() => assertAble(ABLE));
});

test('any other machine is rejected, with everything that is missing', () => {
  assert.throws(
    () => assertAble({ ...ABLE, hasNamespaces: false, hasContainerd: false }),
    /no namespaces .*, neither containerd .*as root on Linux/,
  );
  assert.throws(() => assertAble({ ...ABLE, isRoot: false }), /not root/);
  assert.throws(() => assertAble({ ...ABLE, hasControlGroups: false }), /no control groups/);
  assert.throws(() => assertAble({ ...ABLE, isLinux: false }), /not Linux/);
});
