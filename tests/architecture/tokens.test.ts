import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenize } from './tokens.ts';

const kindsOf = (text: string) =>
  tokenize(text)
    .filter(({ kind }) => kind !== 'code')
    .map(({ kind, text: literal }) => [kind, literal]);

test('comments and literals are not code', () => {
  assert.deepEqual(kindsOf("const a = 'it\\'s // one'; // 'two'\n/* three */ b(\"four\");"), [
    ['string', "'it\\'s // one'"],
    ['comment', "// 'two'"],
    ['comment', '/* three */'],
    ['string', '"four"'],
  ]);
});

test('the braces of a template contain code', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
  assert.deepEqual(kindsOf("`a ${b({ c: 'd' })} ${`e`} f`"), [
    ['template', '`a ${'],
    ['string', "'d'"],
    ['template', '} ${'],
    ['template', '`e`'],
    ['template', '} f`'],
  ]);
});

test('a slash starts a regular expression, or divides', () => {
  assert.deepEqual(kindsOf('x = /[\'"`/]/g; y = a / b; // c'), [
    ['regex', '/[\'"`/]/g'],
    ['comment', '// c'],
  ]);
});

test('an apostrophe in the text of JSX starts no string', () => {
  assert.deepEqual(kindsOf("<p>it's</p>;\nconst a = 'b';"), [['string', "'b'"]]);
});
