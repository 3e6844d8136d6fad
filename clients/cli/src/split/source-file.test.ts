import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { createAudiosplit } from '@audiosplit/client';
import { UsageError } from '../usage.ts';
import { keepInput, openSourceFile, SourceError, type SourceFile } from './source-file.ts';

const CONTENT = Buffer.from('some audio '.repeat(100_000));
const NEVER = new AbortController().signal;

describe('a local source', () => {
  const { TMPDIR } = process.env;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'source-file-'));
    // Files left over from standard input are looked for in a folder that no other run writes to.
    process.env.TMPDIR = folder;
  });
  after(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(folder, { recursive: true });
  });

  const written = async (name: string, content: string | Buffer = CONTENT) => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const bytesOf = async (file: SourceFile) => Buffer.concat(await Array.fromAsync(file.read()));
  const assertUsage = (opening: Promise<unknown>, message: RegExp) =>
    assert.rejects(opening, (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });

  test('is read from its start each time', async () => {
    await using file = await openSourceFile(await written('a.mp3'));
    assert.equal(file.name, 'a.mp3');
    assert.equal(file.sizeBytes, CONTENT.length);
    assert.deepEqual(await bytesOf(file), CONTENT);
    assert.deepEqual(await bytesOf(file), CONTENT);
  });

  test('is rejected in one line if there is nothing to read', async () => {
    await assertUsage(openSourceFile(join(folder, 'missing.mp3')), /^there is no file .*missing\.mp3$/);
    await assertUsage(openSourceFile(folder), /is a folder: name the files in it/);
    await assertUsage(openSourceFile(await written('empty.mp3', '')), /is empty/);
    await assertUsage(openSourceFile(join(folder, 'x'.repeat(300))), /^cannot read .*ENAMETOOLONG/);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await assertUsage(openSourceFile(pipe), /is no regular file: for a pipe give - /);
  });

  test('is rejected in one line if reading is not permitted', async () => {
    const path = await written('secret.mp3');
    await chmod(path, 0);
    const isRoot = process.getuid?.() === 0;
    await chmod(folder, 0o755);
    // Root may read every file, so the process becomes another user for a moment.
    if (isRoot) process.seteuid?.(65_534);
    try {
      await assertUsage(openSourceFile(path), /^you may not read .*secret\.mp3$/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('is read to its end even if its name is deleted meanwhile', async () => {
    const path = await written('vanishes.mp3');
    await using file = await openSourceFile(path);
    await rm(path);
    assert.deepEqual(await bytesOf(file), CONTENT);
  });

  test('reports an error if it has become shorter, and ignores appended bytes', async () => {
    const path = await written('changes.mp3');
    await using file = await openSourceFile(path);
    await writeFile(path, Buffer.concat([CONTENT, CONTENT]));
    assert.deepEqual(await bytesOf(file), CONTENT);
    await truncate(path, 1_000);
    await assert.rejects(bytesOf(file), SourceError);
  });

  test('that cannot be read fails its upload with that reason, not as a broken connection', async () => {
    const path = await written('shrinks.mp3');
    await using file = await openSourceFile(path);
    await truncate(path, 1_000);
    const server = createServer((request) => request.resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const client = createAudiosplit({ baseUrl: url });
      const uploading = client.uploadTo({ uploadUrl: url }, () => file.read(), { sizeBytes: file.sizeBytes });
      await assert.rejects(uploading, { name: 'SourceError', message: /has become shorter/ });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  describe('from standard input', () => {
    const kept = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('audiosplit-stdin-'));

    test('is kept until it is disposed of', async () => {
      const before = await kept();
      {
        await using file = await keepInput(Readable.from([CONTENT, CONTENT]), NEVER);
        assert.equal(file.sizeBytes, 2 * CONTENT.length);
        assert.deepEqual(await bytesOf(file), Buffer.concat([CONTENT, CONTENT]));
        assert.deepEqual(await bytesOf(file), Buffer.concat([CONTENT, CONTENT]));
      }
      assert.deepEqual(await kept(), before);
    });

    test('is rejected if it is empty, a terminal, or breaks off, and nothing is kept', async () => {
      const before = await kept();
      await assertUsage(keepInput(Readable.from([]), NEVER), /^standard input is empty$/);
      const terminal = Object.assign(Readable.from([CONTENT]), { isTTY: true });
      await assertUsage(keepInput(terminal, NEVER), /is a terminal/);
      const breaking = Readable.from(
        (async function* () {
          yield CONTENT;
          throw new Error('EIO: i/o error, read');
        })(),
      );
      await assert.rejects(keepInput(breaking, NEVER), {
        name: 'SourceError',
        message: 'standard input cannot be read to its end (EIO: i/o error, read)',
      });
      const interruption = new AbortController();
      const endless = keepInput(new Readable({ read: () => undefined }), interruption.signal);
      setImmediate(() => interruption.abort(new Error('interrupted')));
      await assert.rejects(endless, /^Error: interrupted$/);
      assert.deepEqual(await kept(), before);
    });
  });
});
