import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysInTable, untestedComponentKeys, untestedTemplates, untestedValues } from './chart-values.ts';

const DEFAULTS = { image: { tag: '', labels: {} }, replicas: 2, ports: [80] };

test('values are tested where a suite or one of its tests sets them', () => {
  assert.deepEqual(
    untestedValues(DEFAULTS, [
      { set: { replicas: 3 }, tests: [] },
      { tests: [{}, { set: { image: { tag: '1', labels: { a: 'b' } } } }, { set: { ports: [] } }] },
    ]),
    [],
  );
});

test('what no test sets is named', () => {
  const suites = [{ tests: [{ set: { image: { labels: { a: 'b' } }, ports: [8080] } }] }];
  assert.deepEqual(untestedValues(DEFAULTS, suites), ['image.tag', 'replicas']);
});

test('keys of components are tested where a suite sets them for one', () => {
  const keys = ['image.tag', 'tolerations', 'affinity'];
  const suites = [
    {
      tests: [
        { set: { jobs: { image: { tag: '1' } }, affinity: {} } },
        { set: { auth: { tolerations: [] } } },
      ],
    },
  ];
  assert.deepEqual(untestedComponentKeys(keys, ['auth', 'jobs'], suites), ['affinity']);
});

test("keys are read from the first column of their section's table", () => {
  const rows = ['| key | |', '|---|---|', '| `image.tag`, `env` | as `jobs` has it |', '| `affinity` | |'];
  const page = ['# Page', '| `no` | |', '## Keys', ...rows, '`words`', '## Others', '| `no` | |'].join('\n');
  assert.deepEqual(keysInTable(page, '## Keys'), ['image.tag', 'env', 'affinity']);
});

test('a template that no suite renders is named', () => {
  const suites = [
    { templates: ['a.yaml'], tests: [] },
    { tests: [{ template: 'tests/b.yaml' }, { templates: ['c.yaml'] }] },
  ];
  const paths = ['a.yaml', 'tests/b.yaml', 'c.yaml', 'd.yaml', '_names.tpl', 'NOTES.txt'];
  assert.deepEqual(untestedTemplates(paths, suites), ['d.yaml', 'NOTES.txt']);
});
