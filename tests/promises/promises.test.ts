import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { findNamedTests, readNames } from './named-tests.ts';
import { PROMISE_ID, SECTIONS } from './promises.ts';

const promised = SECTIONS.flatMap(({ promises }) => promises.map(({ id }) => id));
const named = findNamedTests(repositoryRoot);

test('every promise is covered by a test', () => {
  assert.deepEqual(
    promised.filter((id) => !named.testsOf.has(id)),
    [],
  );
});

test('every promise that a test names exists, once, under an id of the right form', () => {
  assert.deepEqual(
    [...named.testsOf].filter(([id]) => !promised.includes(id)),
    [],
  );
  assert.equal(new Set(promised).size, promised.length);
  for (const id of promised) assert.deepEqual(id.match(PROMISE_ID), [id]);
});

test('every id is before the end of the title that it belongs to', () => {
  assert.deepEqual(named.stray, []);
});

test('ids are read from comments, tables and titles, each for the next test', () => {
  const id = (number: number) => ['D', `0.${number}`].join('-');
  const text = `
    // Covers ${id(1)} ${id(2)}
    test('it\\'s one', () => {});
    for (const [name] of [['${id(3)}']]) it(\`two: \${name}\`, () => {});
    scenario(
      'three [${id(4)}]',
      {},
    );
    test('unnamed', () => {});
    test(name, () => {}); // ${id(5)}
  `;
  assert.deepEqual(readNames(text), {
    tests: [
      { title: "it's one", ids: [id(1), id(2)] },
      { title: 'two: {name}', ids: [id(3)] },
      { title: 'three', ids: [id(4)] },
    ],
    stray: [id(5)],
  });
});
