import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedFor, GROUP_PATH, samplesIn, valueList } from './external-metrics.ts';

const asked = (path: string) => askedFor(new URL(path, 'https://localhost'));
const LAG = { namespace: 'shop', name: 'lag_messages', labels: { group: 'splitter', topic: 'a.b' } };

test('a metric of a namespace is requested by its labels', () => {
  const selector = encodeURIComponent('group=splitter,topic=a.b');
  assert.deepEqual(asked(`${GROUP_PATH}/namespaces/shop/lag_messages?labelSelector=${selector}`), LAG);
  assert.deepEqual(asked(`${GROUP_PATH}/namespaces/shop/lag_messages`), { ...LAG, labels: {} });
});

test('other paths are not found, and other selectors are rejected', () => {
  assert.equal(asked(GROUP_PATH), undefined);
  assert.equal(asked(`${GROUP_PATH}/namespaces/shop/lag_messages/more`), undefined);
  assert.throws(() => asked(`${GROUP_PATH}/namespaces/shop/lag_messages?labelSelector=a!=b`), /only labels/);
});

test('samples of the metric that have all labels are returned, in any order of labels', () => {
  const page = [
    '# TYPE lag_messages gauge',
    'lag_messages{topic="a.b",group="splitter"} 7',
    'lag_messages{group="splitter",topic="a.b",dead="no"} 9 1700000000',
    'lag_messages{group="jobs",topic="a.b"} 11',
    'lag_messages_total{group="splitter",topic="a.b"} 13',
    'up 1',
  ].join('\n');
  assert.deepEqual(samplesIn(page, LAG), [7, 9]);
  assert.deepEqual(samplesIn(page, { ...LAG, name: 'up', labels: {} }), [1]);
});

test('an unknown value is omitted instead of reported as zero', () => {
  const now = new Date('2026-11-21T20:00:00Z');
  assert.deepEqual(valueList(LAG, undefined, now).items, []);
  const timestamp = '2026-11-21T20:00:00.000Z';
  assert.deepEqual(valueList(LAG, 7, now).items, [
    { metricName: 'lag_messages', metricLabels: LAG.labels, timestamp, value: '7' },
  ]);
});
