import assert from 'node:assert/strict';
import { readSync } from 'node:fs';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import { freeChunk } from '../../source/free-chunk.ts';
import { createPcmSpool, type TakenFile } from './pcm-spool.ts';

const source = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));

/** Files of 64 bytes. */
const fileEnd = (startByte: number): number => startByte + 64;

async function* chunks(asked: { count: number }): AsyncGenerator<Buffer> {
  for (let start = 0; start < source.length; start += 70) {
    asked.count += 1;
    yield copyOf(source.subarray(start, start + 70));
  }
}

/** A copy in separate memory. */
function copyOf(bytes: Uint8Array): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer);
}

const owned = (samples: AsyncIterable<Buffer>) => ({ chunks: samples, free: freeChunk });

test('readers receive their ranges byte for byte across files, and files are deleted after them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  {
    await using spool = createPcmSpool(owned(chunks({ count: 0 })), folder.path, {
      maxAheadBytes: 10_000,
      fileEnd,
    });
    const first = spool.take(0, 90, Promise.resolve(100));
    const second = spool.take(100, 1_000, Promise.resolve(1_000));
    assert.ok((await buffer(second)).equals(source.subarray(100)));
    assert.equal(spool.consumedBytes, 0);
    assert.ok((await buffer(first)).equals(source.subarray(0, 100)));
    assert.equal(spool.consumedBytes, 1_000);
    assert.equal(await spool.reaches(1_001), false);
    assert.equal(spool.totalBytes, 1_000);
  }
  assert.deepEqual(await readdir(folder.path), []);
});

test('the decoder runs ahead of the slowest reader up to a limit', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const asked = { count: 0 };
  await using spool = createPcmSpool(owned(chunks(asked)), folder.path, { maxAheadBytes: 210, fileEnd });
  const reader = spool.take(0, 1_000, Promise.resolve(1_000));
  await until(() => asked.count === 4, 'three chunks are kept and one waits');
  let readBytes = 0;
  for await (const chunk of reader) {
    readBytes += chunk.length;
    assert.ok(asked.count * 70 <= readBytes + 210 + 2 * 70);
    assert.ok((await readdir(folder.path)).length <= 7);
  }
  assert.equal(readBytes, 1_000);
});

test('a reader receives bytes that are certainly in its range at once, and the rest when its end is known', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const pcm = new PassThrough();
  await using spool = createPcmSpool(owned(pcm), folder.path, { maxAheadBytes: 10_000, fileEnd });
  const end = Promise.withResolvers<number>();
  const reader = spool.take(0, 80, end.promise);
  pcm.write(source.subarray(0, 100));
  assert.equal((await reader.next()).value?.length, 64);
  assert.equal((await reader.next()).value?.length, 16);
  pcm.end(source.subarray(100, 120));
  end.resolve(115);
  assert.ok((await buffer(reader)).equals(source.subarray(80, 115)));
});

test('a failing decoder fails a reader that waits for more', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const failure = new Error('broken');
  async function* failing(): AsyncGenerator<Buffer> {
    yield source.subarray(0, 50);
    throw failure;
  }
  await using spool = createPcmSpool(owned(failing()), folder.path, { maxAheadBytes: 10_000, fileEnd });
  assert.equal(await spool.reaches(50), true);
  await assert.rejects(spool.reaches(51), failure);
  const end = spool.reaches(51).then(() => 51);
  await assert.rejects(buffer(spool.take(0, 51, end)), failure);
});

test('a reader that is never read leaves no unhandled rejection', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  await using spool = createPcmSpool(owned(chunks({ count: 0 })), folder.path, {
    maxAheadBytes: 10_000,
    fileEnd,
  });
  const failure = new Error('aborted');
  const reader = spool.take(0, 10, Promise.reject(failure));
  // An unhandled rejection, which fails the test, is reported before the next turn of the event loop.
  await setImmediate();
  await assert.rejects(buffer(reader), failure);
});

test('a reader may start with bytes before its range', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const options = { maxAheadBytes: 10_000, maxLeadInBytes: 100, fileEnd };
  await using spool = createPcmSpool(owned(chunks({ count: 0 })), folder.path, options);
  assert.ok((await buffer(spool.take(0, 300, Promise.resolve(300)))).equals(source.subarray(0, 300)));
  const reader = spool.take(300, 400, Promise.resolve(400), 100);
  assert.equal(spool.consumedBytes, 300);
  assert.ok((await buffer(reader)).equals(source.subarray(200, 400)));
  assert.throws(() => spool.take(400, 500, Promise.resolve(500), 101), RangeError);
});

test('silence precedes the first byte', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const options = { maxAheadBytes: 10_000, maxLeadInBytes: 10, fileEnd };
  await using spool = createPcmSpool(owned(chunks({ count: 0 })), folder.path, options);
  const expected = Buffer.concat([Buffer.alloc(10), source.subarray(0, 100)]);
  assert.ok((await buffer(spool.take(0, 100, Promise.resolve(100), 10))).equals(expected));
});

test('a range that is one file is delivered as a file, once it is complete', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const options = { maxAheadBytes: 10_000, maxLeadInBytes: 20, fileEnd };
  await using spool = createPcmSpool(owned(chunks({ count: 0 })), folder.path, options);
  assert.equal(spool.takeFile(0, 64), undefined, 'before anything has come');
  assert.equal(await spool.reaches(1_001), false);
  assert.equal(spool.takeFile(0, 65), undefined, 'more than a file');
  assert.equal(spool.takeFile(10, 64), undefined, 'less than a file');
  {
    await using first = spool.takeFile(0, 64, 0);
    assert.ok(readOn(first).equals(source.subarray(0, 64)));
    assert.equal(spool.consumedBytes, 0);
  }
  assert.equal(spool.consumedBytes, 64);
  assert.equal((await readdir(folder.path)).includes('pcm-0'), false);
  await using second = spool.takeFile(64, 128, 15);
  assert.ok(readOn(second).equals(source.subarray(49, 128)));
  // The last one is shorter than planned.
  await using last = spool.takeFile(960, 1_000, 20);
  assert.ok(readOn(last).equals(source.subarray(940)));
});

/** Reads the file as a child process does that has it as stdin. */
function readOn(taken: TakenFile | undefined): Buffer {
  assert.ok(taken !== undefined);
  const bytes = Buffer.alloc(200);
  return bytes.subarray(0, readSync(taken.file, bytes, 0, bytes.length, null));
}

test('samples are freed once they are written', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const given = [copyOf(source.subarray(0, 100)), copyOf(source.subarray(100, 200))];
  async function* samples(): AsyncGenerator<Buffer> {
    yield* given;
  }
  const options = { maxAheadBytes: 10_000, fileEnd };
  await using spool = createPcmSpool(owned(samples()), folder.path, options);
  assert.equal(await spool.reaches(201), false);
  assert.deepEqual(
    given.map(({ byteLength }) => byteLength),
    [0, 0],
  );
  const taken = await buffer(spool.take(0, 200, Promise.resolve(200)));
  assert.ok(taken.equals(source.subarray(0, 200)));
});
