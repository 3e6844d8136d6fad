import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codeBlocksOf, readCodeBlock } from './code-blocks.ts';
import { GUIDE_SOURCES } from './contents.ts';
import { renderDocument } from './document.ts';
import { renderPage } from './render-page.ts';

const DOCS = join(import.meta.dirname, '../../../../docs');
/** Pages outside the guide; `npm run verify -- console` follows the links to them. */
const PLACES = ['/', '/docs/reference', '/openapi.json'];
const ASSETS = { scripts: ['/assets/guide.js'], styles: ['/assets/guide.css'], icon: '/assets/icon.svg' };

const pages = await Promise.all(
  GUIDE_SOURCES.map(async (source) => renderPage(source, await readFile(join(DOCS, source.file), 'utf8'))),
);
/** The tour's commands need a checkout. */
const TOUR = 'guide/tour.md';
const source = { slug: 'page', file: 'guide/page.md' };

describe('the pages of the guide', () => {
  test('are all pages of docs/guide, except the tour, which needs a checkout', () => {
    const listed = GUIDE_SOURCES.map(({ file }) => file).filter((file) => file.startsWith('guide/'));
    assert.deepEqual(listed.sort(), globSync('guide/*', { cwd: DOCS, exclude: [TOUR] }).sort());
  });

  for (const page of pages) {
    test(`${page.path} has no broken link`, () => {
      for (const link of page.links.filter((each) => !each.startsWith('https://'))) {
        const [path = '', fragment] = link.split('#', 2);
        const target = path === '' ? page : pages.find((each) => each.path === path);
        assert.ok(target !== undefined || PLACES.includes(path), link);
        const ids = target?.headings.map(({ id }) => id) ?? [];
        assert.ok(fragment === undefined || ids.includes(fragment), link);
      }
    });

    test(`${page.path} loads nothing from elsewhere, and contains no script and no style`, () => {
      const html = renderDocument(page, pages, ASSETS);
      assert.doesNotMatch(html, /<[^>]* (?:style|on\w+)=|<style|<script(?![^>]* src="\/)/);
      for (const [, address = ''] of html.matchAll(
        /<(?:link|script|img|source)\b[^>]*(?:href|src)="([^"]+)"/g,
      )) {
        assert.ok(address.startsWith('/assets/'), address);
      }
      assert.equal(html.match(/<h1[ >]/g)?.length, 1);
      assert.equal(html.match(/aria-current="page"/g)?.length, 1);
    });
  }
});

describe('rendering', () => {
  test('headings become anchors, and links to files of the guide become its addresses', () => {
    const { headings, article } = renderPage(
      source,
      '# Page\n\n## Errors & `codes`\n\nSee [this](../reference/errors.md#jobs-that-failed).\n',
    );
    assert.deepEqual(headings, [{ level: 2, id: 'errors--codes', text: 'Errors & codes' }]);
    assert.match(article, /<h2 id="errors--codes"><a class="anchor" href="#errors--codes">/);
    assert.match(article, /href="\/docs\/error-codes#jobs-that-failed"/);
  });

  test('comments for authors are removed', () => {
    const { article, description } = renderPage(source, '# Page\n\n<!-- Generated. -->\n\nText.\n');
    assert.doesNotMatch(article, /Generated/);
    assert.equal(description, 'Text.');
  });

  test('code is shown as text, with any content', () => {
    const { article } = renderPage(source, '# Page\n\n```js run a.mjs\nif (1 < 2) "<script>";\n```\n');
    assert.doesNotMatch(article, /<script/);
    assert.match(article, /&lt;script&gt;/);
    assert.match(article, /aria-label="Copy a\.mjs, Page"/);
  });

  for (const [fault, markdown] of [
    ['a link to a missing page', '# Page\n\n[x](nothing.md)'],
    ['a page without a title', 'Text.'],
    ['two headings with the same name', '# Page\n\n## A\n\n## A\n'],
    ['markup', '# Page\n\nIt is <b>bold</b>.\n'],
    ['a language without a grammar', '# Page\n\n```cobol run\nx\n```'],
  ] as const) {
    test(`${fault} is rejected`, () => {
      assert.throws(() => renderPage(source, markdown));
    });
  }
});

describe('blocks of code', () => {
  test('state what the guide test does with them, at any place in a page', () => {
    const markdown =
      '```sh run\nls\n```\n\n- item\n\n  ```js run a.mjs\n  1;\n  ```\n\n```json output\n{}\n```\n';
    assert.deepEqual(codeBlocksOf(markdown), [
      { language: 'sh', role: 'run', fileName: undefined, text: 'ls' },
      { language: 'js', role: 'run', fileName: 'a.mjs', text: '1;' },
      { language: 'json', role: 'output', fileName: undefined, text: '{}' },
    ]);
  });

  for (const fence of [undefined, '', 'sh', 'sh ignore', 'output', 'js run ../a.mjs x']) {
    test(`rejects ${JSON.stringify(fence)}`, () => {
      assert.throws(() => readCodeBlock(fence, 'x'), /neither run nor output/);
    });
  }
});
