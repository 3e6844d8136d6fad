/** The guide as users have it: `npm start`, and Chromium. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Request } from 'playwright-core';
import { GUIDE_SOURCES, pathOf } from '../../gateway/console/src/guide/contents.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openProduct } from './open-product.ts';

const PATHS = GUIDE_SOURCES.map(pathOf);
/** Script, styles, page and description, compressed. */
const MAX_REFERENCE_BYTES = 500_000;

const { product, browser, visitor, page } = await openProduct(stackOfFile());

describe('the guide in a browser', () => {
  for (const source of GUIDE_SOURCES) {
    test(`${source.file}: readable and accessible, in both colours, at both widths`, async () => {
      await page.goto(pathOf(source));
      await inspectPage(page, source.slug === '' ? 'guide' : undefined);
    });
  }

  test('the API reference is accessible, small on the wire and cached', async () => {
    const requests: Request[] = [];
    const count = (request: Request) => requests.push(request);
    page.on('requestfinished', count);
    await page.goto('/docs/reference');
    const create = page.getByRole('button', { name: 'POST /api/v1/splits Split an audio file' });
    await create.waitFor();
    page.off('requestfinished', count);
    const sizes = await Promise.all(requests.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    assert.ok(bytes < MAX_REFERENCE_BYTES, `${bytes} bytes`);
    await inspectPage(page, 'reference');
    await create.click();
    await page.getByText('https://example.org/audio/episode-7.mp3').first().waitFor();
    assert.equal(new URL(page.url()).hash, '#/Splits/createSplit');
    const samples = page.getByRole('region', { name: 'Samples of POST /api/v1/splits' });
    await samples.getByText('curl -sS --fail-with-body -X POST').waitFor();
    for (const language of ['JavaScript', 'Python'])
      await samples.getByText(language, { exact: true }).click();
    await samples.getByText('"sourceUrl": environ["SOURCE_URL"],').waitFor();
    await inspectPage(page, 'reference-samples');
    const script = await page.locator('script').getAttribute('src');
    const { headers } = await fetch(new URL(script ?? '', product.baseUrl));
    assert.match(headers.get('cache-control') ?? '', /immutable/);
  });

  test('no link is broken', async () => {
    const links = new Set<string>();
    for (const path of PATHS) {
      await page.goto(path);
      const found = await page.evaluate(
        "[...document.querySelectorAll('a[href]')].map(({ href }) => href).filter((href) => href.startsWith(origin))",
      );
      for (const link of found as string[]) links.add(link);
    }
    for (const path of ['/docs/reference', '/openapi.json'])
      assert.ok(links.has(product.baseUrl + path), path);
    for (const link of links) {
      const { hash } = new URL(link);
      const response = await fetch(link);
      assert.equal(response.status, 200, link);
      const html = await response.text();
      assert.ok(hash === '' || html.includes(` id="${decodeURIComponent(hash.slice(1))}"`), link);
    }
  });

  test('nothing is fetched from another origin', async () => {
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(product.baseUrl)) foreign.push(request.url());
    });
    for (const path of PATHS) await page.goto(path, { waitUntil: 'networkidle' });
    assert.deepEqual(foreign, []);
  });

  test('code is copied unchanged', async () => {
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/docs/webhooks');
    await page.getByRole('button', { name: 'Copy receive.go' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.match(String(copied), /^package main\n[\s\S]*\tlog\.Fatal\(http\.ListenAndServe[^\n]*\n\}$/);
  });

  test('the chosen colours apply in the guide and in the console', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.goto('/docs');
    const light = await ground();
    await page.getByRole('button', { name: /^Colours: as the system/ }).click();
    await page.getByRole('button', { name: /^Colours: light/ }).click();
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor();
    const dark = await ground();
    assert.notEqual(dark, light);
    for (const path of ['/docs/limits', '/']) {
      await page.goto(path);
      await page.getByRole('button', { name: /^Colours: dark/ }).waitFor();
      assert.equal(await ground(), dark);
    }
    await page.getByRole('button', { name: /^Colours: dark/ }).click();
    assert.equal(await ground(), light);
  });

  test('by keyboard: a skip link, and focus on headings', async () => {
    await page.goto('/docs/errors');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate("document.activeElement.closest('main') !== null"), true);
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').first().press('Enter');
    assert.equal(new URL(page.url()).hash, '#what-you-need');
  });

  test('on a phone the navigation shows the open page', async () => {
    const viewport = { width: 390, height: 844 };
    const context = await browser.newContext({ baseURL: product.baseUrl, viewport });
    const phone = await context.newPage();
    await phone.goto('/docs/limits');
    const open = phone.getByRole('navigation', { name: 'Pages of the guide' }).getByText('Limits');
    const box = await open.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    await context.close();
  });

  test('without JavaScript only the buttons are missing', async () => {
    const context = await browser.newContext({ baseURL: product.baseUrl, javaScriptEnabled: false });
    const bare = await context.newPage();
    await bare.goto('/docs/podcasts');
    await bare.getByRole('heading', { level: 1, name: 'Podcasts' }).waitFor();
    assert.equal(await bare.getByRole('button').count(), 0);
    await context.close();
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
