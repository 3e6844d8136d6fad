import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPcmSpool, type PcmSpool } from './pcm-spool.ts';

const source = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));

async function* chunks(asked: { count: number }): AsyncGenerator<Buffer> {
  for (let start = 0; start < source.length; start += 70) {
    asked.count += 1;
    yield source.subarray(start, start + 70);
  }
}

async function contents(spool: PcmSpool, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of spool.read(start, end)) parts.push(part);
  return Buffer.concat(parts);
}

test('ranges come back byte for byte across files, and dropping frees whole files', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const asked = { count: 0 };
  {
    await using spool = createPcmSpool(chunks(asked), folder.path, 64);
    await spool.fill(100);
    assert.equal(asked.count, 2);
    assert.ok((await contents(spool, 10, 100)).equals(source.subarray(10, 100)));
    await spool.fill(10_000);
    assert.equal(spool.filledBytes, source.length);
    assert.ok((await contents(spool, 60, 1_000)).equals(source.subarray(60)));
    await spool.dropBefore(640);
    assert.equal((await readdir(folder.path)).length, 6);
    assert.ok((await contents(spool, 640, 1_000)).equals(source.subarray(640)));
  }
  assert.deepEqual(await readdir(folder.path), []);
});
