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
import { type CurlCall, curlCommand } from './curl-command.ts';
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
  // Ctrl-C and the end of a bracketed paste would leave the quotes.
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

test('a shell reads every word as it was, and a terminal finds no key in it', async () => {
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

test('half a character and a NUL, which no file name holds, do no harm', async () => {
  assert.deepEqual(await argumentsOf(`curl ${shellWord('a\ud800\0b')}`), ['a\ufffdb']);
});

test('a call reads as it was meant, whatever is in it', async () => {
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

test('a file is sent whatever its name is', { skip }, async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-curl-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const received: [url: string, body: string][] = [];
  const server = createServer(async (request, response) => {
    received.push([request.url ?? '', String(await buffer(request))]);
    response.end();
  }).listen(0, '127.0.0.1');
  stack.defer(() => void server.close());
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of HOSTILE) {
    await writeFile(join(folder, name), `what is in ${name}`);
    const call: CurlCall = { method: 'PUT', path: '/uploads/1?token=x', credential: 'none', upload: name };
    const child = run('sh', ['-c', curlCommand(call, baseUrl)], { cwd: folder });
    child.child.stdin?.end('what comes in');
    await child;
    assert.deepEqual(received.splice(0), [['/uploads/1?token=x', `what is in ${name}`]], name);
  }
  await assert.rejects(run('test', ['-e', join(folder, 'taken')]), 'a name was run as a command');
});
