import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { repositoryRoot } from '../launcher.mjs';
import { architectures, compileSandbox, openCompiler, PROGRAMS } from './compile.ts';
import { filtersHeader } from './filters-header.ts';

const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'audiosplit-sandbox-'));

function taskOf({ signal }: TestContext) {
  return { signal, step: <T>(_: string, work: () => Promise<T>) => work() };
}

test('the programs of the sandbox match their compiled sources, byte for byte', async (context) => {
  await using workDir = await temporaryFolder();
  const root = join(workDir.path, 'root');
  await compileSandbox(root, workDir.path, taskOf(context));
  for (const path of PROGRAMS) {
    const [made, kept] = await Promise.all([root, repositoryRoot].map((at) => readFile(join(at, path))));
    assert.ok(made?.equals(kept ?? Buffer.alloc(0)), `${path}: npm run generate -- sandbox`);
  }
});

test('the numbers in the filters match the kernel headers: the launcher does not compile with a wrong one', async (context) => {
  await using workDir = await temporaryFolder();
  const compile = await openCompiler(workDir.path, taskOf(context));
  const args = ['-o', join(workDir.path, 'sandbox'), 'clients/engine/sandbox/sandbox.c'];
  for (const architecture of architectures()) {
    const filters = filtersHeader(architecture);
    for (const name of ['__NR_execveat', 'AUDIT_ARCH_', 'O_TRUNC']) {
      const wrong = filters.replace(new RegExp(`(_Static_assert\\(\\(${name}[^=]*==) `), '$1 1 + ');
      assert.notEqual(wrong, filters);
      const isRefused = new RegExp(`static assertion failed.*${name}`);
      await assert.rejects(compile({ architecture, filters: wrong }, args), isRefused);
    }
  }
});
