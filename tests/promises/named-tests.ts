/**
 * Finds the tests that name promises by reading the test files. An id belongs to the test whose title
 * contains it, else to the next title after it: it is in a comment above the test, or in the table from which
 * the test is made.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROMISE_ID } from './promises.ts';

export interface NamedTest {
  /** Relative to the repository's root. */
  readonly file: string;
  readonly title: string;
}

export interface NamedTests {
  readonly testsOf: ReadonlyMap<string, readonly NamedTest[]>;
  /** Ids that no test follows, as `file: id`. */
  readonly stray: readonly string[];
}

const TEST_FILES =
  '{services,gateway,clients,deploy,tests,proto,load-tests}/**/*.{test,contract,acceptance}.ts';
/**
 * A call that registers a test, up to the end of its title: a string, or the name of a variable that holds
 * one.
 */
const TITLE = /\b(?:test|it|scenario)\(\s*(?:(['"`])((?:\\.|(?!\1)[^\\])*)\1|([\w.]+),)/g;

export function findNamedTests(root: string): NamedTests {
  const testsOf = new Map<string, NamedTest[]>();
  const stray: string[] = [];
  const files = globSync(TEST_FILES, {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
  }).sort();
  for (const file of files) {
    const named = readNames(readFileSync(join(root, file), 'utf8'));
    for (const { title, ids } of named.tests) {
      for (const id of ids) testsOf.set(id, [...(testsOf.get(id) ?? []), { file, title }]);
    }
    stray.push(...named.stray.map((id) => `${file}: ${id}`));
  }
  return { testsOf, stray };
}

/** The names in one file's text, in order. */
export function readNames(text: string) {
  const tests: { readonly title: string; readonly ids: readonly string[] }[] = [];
  let readUpTo = 0;
  for (const match of text.matchAll(TITLE)) {
    const [whole, , literal, variable] = match;
    const end = match.index + whole.length;
    const ids = idsIn(text.slice(readUpTo, end));
    readUpTo = end;
    if (ids.length > 0) tests.push({ title: readable(literal ?? `\${${variable}}`), ids });
  }
  return { tests, stray: idsIn(text.slice(readUpTo)) };
}

const idsIn = (text: string) => [...new Set(text.match(PROMISE_ID))];

const IDS_IN_TITLE = new RegExp(` \\[[^\\]]*${PROMISE_ID.source}[^\\]]*\\]`);

/** Removes the ids and the escapes of the source; values known only at run time become `{name}` or `…`. */
function readable(title: string): string {
  return title
    .replace(IDS_IN_TITLE, '')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/\$\{([^}]*)\}/g, (_, expression) => (/^\w+$/.test(expression) ? `{${expression}}` : '…'));
}
