import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchEvent } from '../../../deploy/kubernetes/api.ts';
import type { Pod } from '../workload.ts';
import { countReady } from './ready-watch.ts';

function event(
  type: WatchEvent<Pod>['type'],
  uid: string,
  { ready = true, leaving = false }: { readonly ready?: boolean; readonly leaving?: boolean } = {},
): WatchEvent<Pod> {
  return {
    type,
    object: {
      metadata: {
        name: uid,
        creationTimestamp: '2026-11-22T00:00:00Z',
        uid,
        labels: { 'app.kubernetes.io/component': 'auth' },
        ...(leaving ? { deletionTimestamp: '2026-11-22T00:00:00Z' } : {}),
      },
      spec: { containers: [] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    },
  };
}

test('a dip is remembered, however short, until the count begins anew', () => {
  const count = countReady();
  for (const uid of ['one', 'two', 'three']) count.see(event('ADDED', uid));
  count.restart();
  count.see(event('MODIFIED', 'one', { leaving: true }));
  count.see(event('ADDED', 'four', { ready: false }));
  assert.equal(count.fewest().auth, 2);
  count.see(event('MODIFIED', 'four'));
  assert.equal(count.fewest().auth, 2);
  count.restart();
  assert.equal(count.fewest().auth, 3);
});

test('who is not ready, is told to leave or is gone does not count', () => {
  const count = countReady();
  for (const uid of ['one', 'two', 'three', 'four']) count.see(event('ADDED', uid));
  count.see(event('MODIFIED', 'one', { ready: false }));
  count.see(event('MODIFIED', 'two', { leaving: true }));
  count.see(event('DELETED', 'three'));
  count.restart();
  assert.equal(count.fewest().auth, 1);
  assert.equal(count.fewest().gateway, 0);
});
