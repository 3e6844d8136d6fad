import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../launcher.mjs';
import { compileSandbox, PROGRAMS } from './compile.ts';

test('the programs of the sandbox are what their sources compile to, byte for byte', async (context) => {
  await using workDir = await mkdtempDisposable(join(tmpdir(), 'audiosplit-sandbox-'));
  const root = join(workDir.path, 'root');
  const task = { signal: context.signal, step: <T>(_: string, work: () => Promise<T>) => work() };
  await compileSandbox(root, workDir.path, task);
  for (const path of PROGRAMS) {
    const [made, kept] = await Promise.all([root, repositoryRoot].map((at) => readFile(join(at, path))));
    assert.ok(made?.equals(kept ?? Buffer.alloc(0)), `${path}: npm run generate -- sandbox`);
  }
});
