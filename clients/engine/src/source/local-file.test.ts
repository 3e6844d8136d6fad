import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, readdir, readlink, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { withScratchDir } from '../copy/testing/ffmpeg.ts';
import { createLocalFileReader } from './local-file.ts';

const hasFifos = process.platform !== 'win32';
const MIB = 1024 * 1024;
const BYTES = Buffer.from(Array.from({ length: 3 * MIB + 17 }, (_, index) => (index * 31) % 251));

async function withFile(use: (path: string) => Promise<void>): Promise<void> {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'source');
    await writeFile(path, BYTES);
    await use(path);
  });
}

test('a file is read up to the stated length, any number of times', async () => {
  await withFile(async (path) => {
    await appendFile(path, 'of no concern');
    const reader = createLocalFileReader({ path, sizeBytes: BYTES.length });
    for (const _ of [1, 2]) {
      assert.ok(Buffer.concat(await Array.fromAsync(reader.chunks())).equals(BYTES));
    }
    const rest = createLocalFileReader({ path, sizeBytes: BYTES.length }, 2 * MIB);
    assert.ok(Buffer.concat(await Array.fromAsync(rest.chunks())).equals(BYTES.subarray(2 * MIB)));
  });
});

test('returned memory is reused, other memory never', async () => {
  await withFile(async (path) => {
    const { chunks, memory } = createLocalFileReader({ path, sizeBytes: BYTES.length });
    const buffers = new Set<ArrayBufferLike>();
    const kept: Uint8Array[] = [];
    let position = 0;
    let count = 0;
    for await (const chunk of chunks()) {
      assert.ok(BYTES.subarray(position, position + chunk.length).equals(chunk));
      assert.equal(memory.headroomBytes(chunk.buffer), chunk.byteOffset);
      position += chunk.length;
      count += 1;
      buffers.add(chunk.buffer);
      if (count % 4 === 0) kept.push(chunk);
      else memory.recycle(chunk.buffer);
      memory.recycle(new ArrayBuffer(chunk.buffer.byteLength));
    }
    assert.equal(position, BYTES.length);
    assert.ok(buffers.size <= kept.length + 1);
    for (const chunk of kept) assert.ok(BYTES.includes(chunk.subarray(0, 1000)));
    assert.equal(memory.headroomBytes(new ArrayBuffer(8)), undefined);
  });
});

test('the event loop turns during work on a file that awaits nothing else', async () => {
  await withFile(async (path) => {
    const { chunks, memory } = createLocalFileReader({ path, sizeBytes: BYTES.length });
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    for await (const { buffer } of chunks()) {
      memory.recycle(buffer);
      // Longer than the event loop may be blocked.
      for (const start = performance.now(); performance.now() - start < 25; );
    }
    assert.ok(hasTurned);
  });
});

test('anything but a regular file is rejected, without waiting for it', { skip: !hasFifos }, async () => {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'fifo');
    execFileSync('mkfifo', [path]);
    for (const notAFile of [path, dir, '/dev/zero']) {
      const { chunks } = createLocalFileReader({ path: notAFile, sizeBytes: 1 });
      await assert.rejects(Array.fromAsync(chunks()), /no regular file/);
    }
  });
});

test('a file that was changed, before or during the read, is rejected', async () => {
  await withFile(async (path) => {
    const modifiedAtMs = (await stat(path)).mtime.getTime();
    const { chunks } = createLocalFileReader({ path, sizeBytes: BYTES.length, modifiedAtMs });
    assert.ok(Buffer.concat(await Array.fromAsync(chunks())).equals(BYTES));
    await assert.rejects(async () => {
      for await (const _ of chunks()) await utimes(path, 1, 1);
    }, /replaced/);
    await assert.rejects(Array.fromAsync(chunks()), /replaced/);
  });
});

test('a file that ends too early is an error, and is closed', async () => {
  await withFile(async (path) => {
    const { chunks } = createLocalFileReader({ path, sizeBytes: BYTES.length + 1 });
    await assert.rejects(Array.fromAsync(chunks()), /ends after 3145745 of 3145746 bytes/);
    for await (const _ of chunks()) break;
    const missing = createLocalFileReader({ path: `${path}-not`, sizeBytes: 1 });
    await assert.rejects(Array.fromAsync(missing.chunks()), { code: 'ENOENT' });
    if (process.platform !== 'linux') return;
    const open = await readdir('/proc/self/fd');
    const targets = await Promise.all(open.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    assert.ok(!targets.includes(path));
  });
});
