import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { withScratchDir } from '../../copy/testing/ffmpeg.ts';
import { createWriteBehind } from './write-behind.ts';

const MIB = 1024 * 1024;

test('everything is written in order, in any sizes', async () => {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'written');
    const parts: Buffer[] = [];
    {
      await using handle = await open(path, 'wx');
      const writer = createWriteBehind(handle);
      for (let index = 0; index < 400; index++) {
        const part = Buffer.alloc((index * 7_919) % 30_000, index);
        parts.push(part);
        await writer.write([part.subarray(0, 10), part.subarray(10)]);
      }
      parts.push(Buffer.alloc(3 * MIB, 1));
      await writer.write(parts.slice(-1));
      await writer.settle();
    }
    assert.ok((await readFile(path)).equals(Buffer.concat(parts)));
  });
});

test('a failed write is reported at the next write, or at the end', async () => {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'read-only');
    await (await open(path, 'wx')).close();
    await using handle = await open(path, 'r');
    const writer = createWriteBehind(handle);
    const writeOn = async (): Promise<void> => {
      for (let count = 0; count < 4; count++) await writer.write([Buffer.alloc(MIB)]);
    };
    await assert.rejects(writeOn(), { code: 'EBADF' });
    await assert.rejects(writer.settle(), { code: 'EBADF' });
  });
});
