/** Runs the page's commands in a real shell, and with curl if installed. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { type CurlCall, curlCommand, SentFile } from './curl-command.ts';
import { shellWord } from './shell-word.ts';

const run = promisify(execFile);
const HOSTILE = [
  "'; touch taken; '",
  '$(touch taken)',
  '`touch taken`',
  '-',
  '--next',
  '@talk.mp3',
  ';talk',
  'a{b,c}d[1-3].mp3',
  'a\\{b.mp3',
  'line\nbreak\n',
  '\n',
  'tab\tand\rreturn',
  // Ctrl-C and the end of a bracketed paste would end the quoting.
  '\u0003\ntouch taken\n',
  '\u001b[201~\u0003touch taken\r',
  '\u009b201~',
  '"double" \'single\' !history ~ # * ?',
  'Übung 🎧.mp3',
];

/** The arguments that curl gets from a POSIX shell. */
async function argumentsOf(command: string): Promise<readonly string[]> {
  const script = `curl() { for argument; do printf '%s\\0' "$argument"; done; }\n${command}\n`;
  const { stdout } = await run('sh', ['-c', script], {
    env: { ...process.env, AUDIOSPLIT_KEY: 'the key', ACCESS_TOKEN: 'the token' },
  });
  return stdout.split('\0').slice(0, -1);
}

/** fast-check's own unit `binary` builds a table of all code points, which takes seconds. */
const character = fc.nat({ max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

const words = fc.array(
  fc.oneof(
    fc.string({ unit: character }).map((text) => text.replaceAll('\0', '')),
    fc.string({
      unit: fc.constantFrom("'", '"', '\\', '$', '`', '\n', '\t', '\u0003', '\u007f', ' ', '-', 'a'),
    }),
    fc.constantFrom(...HOSTILE),
  ),
  { minLength: 1, maxLength: 40 },
);

test('a shell reads every word unchanged, and a terminal interprets no key in it', async () => {
  await fc.assert(
    fc.asyncProperty(words, async (texts) => {
      const command = `curl ${texts.map(shellWord).join(' ')}`;
      assert.deepEqual(await argumentsOf(command), texts);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none
      assert.doesNotMatch(command, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }),
    { numRuns: 60 },
  );
});

test('half a character and a NUL, which no file name contains, are harmless', async () => {
  assert.deepEqual(await argumentsOf(`curl ${shellWord('a\ud800\0b')}`), ['a\ufffdb']);
});

test('a call arrives as intended, with any content', async () => {
  const call: CurlCall = {
    method: 'POST',
    path: "/api/v1/splits?text='$(x)",
    credential: 'key',
    body: { sourceUrl: "https://example.com/it's?a=@b;c" },
    options: ['-o', "it's.zip"],
  };
  const command = curlCommand(call, 'http://[::1]:8080');
  assert.deepEqual(await argumentsOf(command), [
    '-sS',
    '-X',
    'POST',
    "http://[::1]:8080/api/v1/splits?text='$(x)",
    '-H',
    'X-API-Key: the key',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(call.body),
    '-o',
    "it's.zip",
  ]);
});

const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl';

test('files are uploaded first, with any name, and keep their place in the request', {
  skip,
}, async () => {
  await using api = await startApi();
  const sources = [
    ...HOSTILE.map((name) => new SentFile(name)),
    ...HOSTILE,
    'upload',
    '"upload"',
    '$source_1',
  ];
  await api.run({ sources, settings: { title: "it's $(x)" } });
  const [created, sent] = [api.received.filter(isCreation), api.received.filter(isFile)];
  assert.deepEqual(
    created.map(([, body]) => JSON.parse(body)),
    HOSTILE.map((fileName) => ({ fileName })),
  );
  assert.deepEqual(
    sent,
    HOSTILE.map((name, n) => [`PUT /uploads/${n + 1}?token=x&to=[1-3]{a,b}`, `what is in ${name}`]),
  );
  const [request, body = ''] = api.received.at(-1) ?? [];
  assert.equal(request, 'POST /api/v1/batches');
  assert.deepEqual(JSON.parse(body), {
    sources: [
      ...HOSTILE.map((_, n) => `${api.url}/sources/${n + 1}?a=1&b=2`),
      ...HOSTILE,
      'upload',
      '"upload"',
      '$source_1',
    ],
    settings: { title: "it's $(x)" },
  });
  await assert.rejects(run('test', ['-e', join(api.folder, 'taken')]), 'a name was run as a command');
});

test('any sources and files produce the request that was shown', { skip }, async () => {
  await using api = await startApi();
  const sources = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: HOSTILE.length - 1 }), words), {
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(sources, words, async (given, texts) => {
      api.received.splice(0);
      const before = api.uploads();
      let files = 0;
      const chosen = given.map(([isFile, n, [text = '']]) =>
        isFile ? new SentFile(HOSTILE[n] ?? '') : text,
      );
      await api.run({ sources: chosen, settings: texts });
      const expected = chosen.map((each) => {
        if (typeof each === 'string') return each;
        files += 1;
        return `${api.url}/sources/${before + files}?a=1&b=2`;
      });
      assert.deepEqual(JSON.parse(api.received.at(-1)?.[1] ?? ''), { sources: expected, settings: texts });
    }),
    { numRuns: 15 },
  );
});

test('nothing is created if a file cannot be uploaded, and the response gives the reason', {
  skip,
}, async () => {
  await using api = await startApi();
  const refused = await api.run({ sourceUrl: new SentFile('refused.mp3') }).catch((error) => error);
  assert.match(refused.stderr, /UPLOAD_LIMIT_REACHED/);
  const missing = await api.run({ sourceUrl: new SentFile('not there.mp3') }).catch((error) => error);
  assert.match(missing.stderr, /not there\.mp3/);
  assert.deepEqual(
    api.received.filter((each) => !isCreation(each)),
    [],
  );
});

test('a body longer than the limit of an argument arrives complete', { skip }, async () => {
  await using api = await startApi();
  const sources = Array.from(
    { length: 1_000 },
    (_, n) => `https://example.com/it's/${n}/${'%20'.repeat(60)}.mp3`,
  );
  await api.run({ sources });
  assert.deepEqual(api.received, [['POST /api/v1/batches', JSON.stringify({ sources })]]);
});

const isCreation = ([request]: readonly string[]) => request === 'POST /api/v1/uploads';
const isFile = ([request]: readonly string[]) => request?.startsWith('PUT ') === true;

/** Accepts uploads and batches, in a folder with the files. */
async function startApi() {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-curl-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const name of [...HOSTILE, 'refused.mp3']) await writeFile(join(folder, name), `what is in ${name}`);
  const received: [request: string, body: string][] = [];
  let uploads = 0;
  let url = '';
  const server = createServer(async (request, response) => {
    const body = String(await buffer(request));
    const path = request.url ?? '';
    received.push([`${request.method} ${path}`, body]);
    if (path !== '/api/v1/uploads') return response.end();
    if (body.includes('refused.mp3')) return response.writeHead(429).end('{"code":"UPLOAD_LIMIT_REACHED"}');
    uploads += 1;
    const uploadUrl = `${url}/uploads/${uploads}?token=x&to=[1-3]{a,b}`;
    const sourceUrl = `${url}/sources/${uploads}?a=1&b=2`;
    return response.end(JSON.stringify({ uploadUrl, sourceUrl, expiresAt: '2027-03-14T09:30:00.000Z' }));
  }).listen(0, '127.0.0.1');
  stack.defer(() => void server.close());
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const script = join(folder, 'command.sh');
  const running = stack.move();
  return {
    url,
    folder,
    received,
    uploads: () => uploads,
    /** Runs the command of a batch with this body. */
    run: async (body: object) => {
      const call: CurlCall = { method: 'POST', path: '/api/v1/batches', credential: 'key', body };
      await writeFile(script, curlCommand(call, url));
      const child = run('sh', [script], { cwd: folder });
      child.child.stdin?.end('what comes in');
      return await child;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
