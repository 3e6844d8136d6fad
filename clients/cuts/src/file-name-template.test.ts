import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  checkFileNameTemplate,
  FILE_NAME_PLACEHOLDERS,
  type FileNamePlaceholder,
  fillFileNameTemplate,
} from './file-name-template.ts';

const VALUES: Readonly<Record<FileNamePlaceholder, string>> = {
  name: 'talk',
  index: '0',
  number: '1',
  count: '3',
  title: '{name}$&',
  start: '00-00-00.000',
};

test('text and known placeholders are accepted', () => {
  for (const template of ['talk', '{name}', '{index}{number}{count}', 'a {title} b {start}', '$1 \\'])
    assert.equal(checkFileNameTemplate(template), undefined);
});

// Covers C-8.4
test('an unknown placeholder or a single brace is named', () => {
  for (const [template, expected] of [
    ['{Title}', /no placeholder \{Title\}: there are \{name\}, .*\{start\}$/],
    ['{}', /no placeholder \{\}/],
    ['{ name }', /no placeholder \{ name \}/],
    ['{toString}', /no placeholder \{toString\}/],
    ['{name', /a lone \{/],
    ['name}', /a lone \}/],
    ['{{name}}', /a lone \{/],
    ['}{', /a lone \}/],
    ['{na{name}me}', /a lone \{/],
  ] as const) {
    assert.match(checkFileNameTemplate(template) ?? '', expected, template);
  }
});

test('values are inserted once, with any content', () => {
  assert.equal(fillFileNameTemplate('{number} of {count}: {title}', VALUES), '1 of 3: {name}$&');
});

/** fast-check's own unit `binary` takes a second to make. */
const anyCharacter = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

test('any combination of text and placeholders is accepted, and filled in order', () => {
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter }).map((text) => text.replaceAll(/[{}]/g, '')),
    fc.constantFrom(...FILE_NAME_PLACEHOLDERS).map((placeholder) => ({ placeholder })),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const template = pieces.map((one) => (typeof one === 'string' ? one : `{${one.placeholder}}`)).join('');
      const filled = pieces.map((one) => (typeof one === 'string' ? one : VALUES[one.placeholder])).join('');
      assert.equal(checkFileNameTemplate(template), undefined);
      assert.equal(fillFileNameTemplate(template, VALUES), filled);
    }),
  );
});
