import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import { createPcmSpool } from './pcm-spool.ts';

const source = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));

async function* chunks(asked: { count: number }): AsyncGenerator<Buffer> {
  for (let start = 0; start < source.length; start += 70) {
    asked.count += 1;
    yield source.subarray(start, start + 70);
  }
}

test('readers get their ranges byte for byte across files, and files are gone behind them', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  {
    await using spool = createPcmSpool(chunks({ count: 0 }), folder.path, {
      maxAheadBytes: 10_000,
      chunkFileBytes: 64,
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

test('the decoder runs ahead of the slowest reader so far and no further', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const asked = { count: 0 };
  await using spool = createPcmSpool(chunks(asked), folder.path, { maxAheadBytes: 210, chunkFileBytes: 64 });
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

test('a reader gets what is surely its own at once, and the rest when its end is settled', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const pcm = new PassThrough();
  await using spool = createPcmSpool(pcm, folder.path, { maxAheadBytes: 10_000 });
  const end = Promise.withResolvers<number>();
  const reader = spool.take(0, 80, end.promise);
  pcm.write(source.subarray(0, 100));
  assert.equal((await reader.next()).value?.length, 80);
  pcm.end(source.subarray(100, 120));
  end.resolve(115);
  assert.ok((await buffer(reader)).equals(source.subarray(80, 115)));
});

test('a failing decoder fails whoever waits for more', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const failure = new Error('broken');
  async function* failing(): AsyncGenerator<Buffer> {
    yield source.subarray(0, 50);
    throw failure;
  }
  await using spool = createPcmSpool(failing(), folder.path, { maxAheadBytes: 10_000 });
  assert.equal(await spool.reaches(50), true);
  await assert.rejects(spool.reaches(51), failure);
  const end = spool.reaches(51).then(() => 51);
  await assert.rejects(buffer(spool.take(0, 51, end)), failure);
});

test('a reader that is never read from leaves no rejection behind', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  await using spool = createPcmSpool(chunks({ count: 0 }), folder.path, { maxAheadBytes: 10_000 });
  const failure = new Error('aborted');
  const reader = spool.take(0, 10, Promise.reject(failure));
  // An unhandled rejection, which fails the test, is told before the next turn.
  await setImmediate();
  await assert.rejects(buffer(reader), failure);
});

test('a reader may begin with what lies before its range', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const options = { maxAheadBytes: 10_000, maxLeadInBytes: 100, chunkFileBytes: 64 };
  await using spool = createPcmSpool(chunks({ count: 0 }), folder.path, options);
  assert.ok((await buffer(spool.take(0, 300, Promise.resolve(300)))).equals(source.subarray(0, 300)));
  const reader = spool.take(300, 400, Promise.resolve(400), 100);
  assert.equal(spool.consumedBytes, 300);
  assert.ok((await buffer(reader)).equals(source.subarray(200, 400)));
  assert.throws(() => spool.take(400, 500, Promise.resolve(500), 101), RangeError);
});
