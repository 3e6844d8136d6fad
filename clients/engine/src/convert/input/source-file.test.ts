import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSourceSpool } from './source-file.ts';

test('a spool that ends while its file is being opened closes it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-spool-'));
  const path = join(folder.path, 'source');
  const spool = createSourceSpool(path);
  async function* source() {
    yield Buffer.from('audio');
  }
  const first = spool.tee(source()).next();
  // By then the file has been requested, and the response comes from another thread.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  await spool[Symbol.asyncDispose]();
  await first;
  assert.deepEqual(await readdir(folder.path), ['source']);
  if (process.platform !== 'linux') return;
  const open = await readdir('/proc/self/fd');
  const targets = await Promise.all(open.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  assert.ok(!targets.includes(path));
});
