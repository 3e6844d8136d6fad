import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { startTestGateway } from '../testing/test-gateway.ts';
import { readGuidePages } from './guide-pages.ts';

const folder = forSuite(async () => {
  const made = await mkdtempDisposable(join(tmpdir(), 'guide-pages-'));
  await writeFile(join(made.path, 'index.html'), '<!doctype html><title>Quick start</title>');
  await writeFile(join(made.path, 'reference.html'), '<!doctype html><title>API reference</title>');
  await writeFile(join(made.path, 'webhooks.html'), '<!doctype html><title>Webhooks</title>');
  return made;
});
const gateway = forSuite(
  async () => startTestGateway({ dependencies: { guide: await readGuidePages(folder.path) } }),
  folder,
);

test('each page has its address, with a policy that forbids inline content', async () => {
  for (const [path, title] of [
    ['/docs', 'Quick start'],
    ['/docs/', 'Quick start'],
    ['/docs/webhooks', 'Webhooks'],
  ] as const) {
    const response = await fetch(gateway.url + path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.match(await response.text(), new RegExp(`<title>${title}</title>`));
  }
});

test('a page that has not changed is not sent again', async () => {
  const { headers } = await fetch(`${gateway.url}/docs/webhooks`);
  assert.equal(headers.get('cache-control'), 'no-cache');
  const again = await fetch(`${gateway.url}/docs/webhooks`, {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
});

test('the reference has no inline content, and loads nothing from elsewhere', async () => {
  for (const path of ['/docs/reference', '/docs/reference/']) {
    const response = await fetch(gateway.url + path);
    assert.equal(response.status, 200, path);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(policy, /https?:/);
    assert.match(await response.text(), /<title>API reference<\/title>/);
  }
});

test('without built pages /docs redirects to the description itself', async () => {
  assert.equal(await readGuidePages(join(folder.path, 'nothing')), undefined);
  await using bare = await startTestGateway();
  assert.equal((await fetch(`${bare.url}/docs`)).url, `${bare.url}/openapi.json`);
});
