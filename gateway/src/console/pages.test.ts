import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { startTestGateway } from '../testing/test-gateway.ts';
import { readConsolePages } from './pages.ts';
import { STRIPE_SCRIPT } from './stripe-page.ts';

const HTML = '<!doctype html><title>audiosplit</title>';
const SCRIPT = 'console.log(1);'.repeat(200);
const folder = forSuite(async () => {
  const made = await mkdtempDisposable(join(tmpdir(), 'console-pages-'));
  await mkdir(join(made.path, 'assets'));
  await writeFile(join(made.path, 'index.html'), HTML);
  await writeFile(join(made.path, 'assets/index-abc123.js'), SCRIPT);
  await writeFile(join(made.path, 'assets/index-abc123.js.map'), '{}');
  return made;
});
const gateway = forSuite(
  async () => startTestGateway({ dependencies: { pages: await readConsolePages(folder.path) } }),
  folder,
);

/** Does not decompress the response, unlike fetch. */
function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      request(new URL(path, gateway.url), { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      })
        .on('error', reject)
        .end();
    },
  );
}

test('every address of the page returns the document, with a policy that forbids inline content', async () => {
  for (const path of ['/', '/sign-in', '/jobs', '/jobs/job_1', '/keys', '/usage']) {
    const { status, headers, body } = await get(path);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(body.toString(), HTML);
  }
});

test('files with a hash in their name are cached permanently, and sent in the best compression that the browser accepts', async () => {
  const path = '/assets/index-abc123.js';
  const plain = await get(path);
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.body.toString(), SCRIPT);

  const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(brotli.body).toString(), SCRIPT);
  const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' });
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(gzip.body).toString(), SCRIPT);
});

test('a document that has not changed is not sent again', async () => {
  const { headers } = await get('/');
  const again = await get('/', { 'if-none-match': String(headers.etag) });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
});

test('the document says if an external issuer signs people in', async () => {
  const jwksUrl = 'https://id.example/keys';
  await using other = await startTestGateway({
    config: { jwt: { issuer: 'https://id.example/?a="1"&b', audience: 'audiosplit', jwksUrl } },
    dependencies: { pages: await readConsolePages(folder.path) },
  });
  const document = await (await fetch(other.url)).text();
  const expected =
    '<meta name="audiosplit-issuer" content="https://id.example/?a=&quot;1&quot;&amp;b"><title>';
  assert.ok(document.includes(expected), document);
  assert.equal((await get('/')).body.toString().includes('audiosplit-issuer'), false);
});

test('with Stripe the document names its key and script, and may load the script and its frames', async () => {
  const policyOf = async (scriptUrl: URL) => {
    await using other = await startTestGateway({
      config: { stripe: { publishableKey: 'pk_test_1', scriptUrl } },
      dependencies: { pages: await readConsolePages(folder.path) },
    });
    const response = await fetch(other.url);
    const named =
      '<meta name="audiosplit-stripe-key" content="pk_test_1">' +
      `<meta name="audiosplit-stripe-script" content="${scriptUrl}"><title>`;
    assert.ok((await response.text()).includes(named));
    const docs = await fetch(new URL('/docs/errors', other.url));
    assert.doesNotMatch(docs.headers.get('content-security-policy') ?? '', /stripe/);
    const policy = response.headers.get('content-security-policy') ?? '';
    return Object.fromEntries(policy.split('; ').map((each) => each.split(/ (.*)/)));
  };
  const policy = await policyOf(STRIPE_SCRIPT);
  assert.equal(policy['default-src'], "'none'");
  assert.equal(policy['script-src'], "'self' https://js.stripe.com https://*.js.stripe.com");
  assert.equal(policy['frame-src'], 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com');
  assert.equal(policy['connect-src'], "'self' https://api.stripe.com");
  const standIn = await policyOf(new URL('http://127.0.0.1:9/stripe.js'));
  assert.equal(standIn['script-src'], "'self' http://127.0.0.1:9");
  const without = String((await get('/')).headers['content-security-policy']);
  assert.doesNotMatch(without, /frame-src|stripe/);
});

test('no other file of the folder is served', async () => {
  for (const path of ['/assets/index-abc123.js.map', '/assets/', '/assets/../index.html', '/index.html']) {
    assert.equal((await get(path)).status, 404, path);
  }
});

const HTML_ACCEPTED = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test('a wrong address returns the page with 404 to a browser, and the envelope to a program', async () => {
  for (const path of ['/nothing', '/jobs/a/b', '/docs/nothing', '/assets/nothing.js', '/jobs/no%20id']) {
    const page = await get(path, HTML_ACCEPTED);
    assert.equal(page.status, 404, path);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    assert.equal(page.headers.vary, 'accept, accept-encoding');
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.body.toString(), HTML);
    const again = await get(path, { ...HTML_ACCEPTED, 'if-none-match': String(page.headers.etag) });
    assert.equal(again.status, 404, 'what is not there is not unchanged');
  }
  const asJson: [path: string, accept: string][] = [
    ['/nothing', '*/*'],
    ['/nothing', 'application/json'],
    ['/nothing', 'application/json, text/html;q=0.9'],
    ['/nothing', 'text/html;q=0'],
    ['/api/v1/nothing', HTML_ACCEPTED.accept],
  ];
  for (const [path, accept] of asJson) {
    const { status, headers, body } = await get(path, { accept });
    assert.equal(status, 404, path);
    assert.match(String(headers['content-type']), /^application\/json/, accept);
    assert.equal(JSON.parse(body.toString()).error.code, 'NOT_FOUND');
    assert.equal(headers.vary, path.startsWith('/api/v1') ? undefined : 'accept', path);
  }
  const posted = await fetch(new URL('/nothing', gateway.url), { method: 'POST', headers: HTML_ACCEPTED });
  assert.match(posted.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(posted.headers.get('vary'), null);
});

test('without a page the address redirects to the reference', async () => {
  assert.equal(await readConsolePages(join(folder.path, 'nothing')), undefined);
  await using bare = await startTestGateway();
  const root = await fetch(bare.url, { redirect: 'manual' });
  assert.equal(root.headers.get('location'), '/docs');
});
