import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { sourceFlags } from '../launcher.mjs';
import { ensureDirectory } from './cache.ts';

const folder = forSuite(() => mkdtempDisposable(join(tmpdir(), 'audiosplit-cache-')));

const fillWith = (text: string) => (dir: string) => writeFile(join(dir, 'content'), text);
const contentOf = (target: string) => readFile(join(target, 'content'), 'utf8');
const entriesOf = async (target: string) =>
  (await readdir(folder.path)).filter((name) => join(folder.path, name).startsWith(target));

test('two concurrent processes fill it once, and nothing else is left beside it', async () => {
  const target = join(folder.path, 'once');
  const fills: string[] = [];
  const fill = (name: string) => async (dir: string) => {
    fills.push(name);
    await fillWith(name)(dir);
  };
  await Promise.all([ensureDirectory(target, fill('first')), ensureDirectory(target, fill('second'))]);
  await ensureDirectory(target, fill('third'));
  assert.equal(fills.length, 1);
  assert.equal(await contentOf(target), fills[0]);
  assert.deepEqual(await entriesOf(target), [target.slice(folder.path.length + 1)]);
});

test('if the process that fills it fails, the waiting one fills it', async () => {
  const target = join(folder.path, 'failed');
  let waiting: Promise<void> | undefined;
  const failing = ensureDirectory(target, async () => {
    waiting = ensureDirectory(target, fillWith('whole'));
    throw new Error('no space left');
  });
  await assert.rejects(failing, /no space left/);
  await waiting;
  assert.equal(await contentOf(target), 'whole');
});

test('a process that is killed while it fills it does not block others', async () => {
  const target = join(folder.path, 'killed');
  const filling = `
    import { ensureDirectory } from ${JSON.stringify(join(import.meta.dirname, 'cache.ts'))};
    await ensureDirectory(${JSON.stringify(target)}, async () => {
      process.stdout.write('filling');
      await new Promise(() => setInterval(() => {}, 1_000));
    });`;
  const child = spawn(process.execPath, [...sourceFlags, '--input-type=module', '--eval', filling]);
  await once(child.stdout, 'data');
  const waiting = ensureDirectory(target, fillWith('whole'));
  child.kill('SIGKILL');
  await waiting;
  assert.equal(await contentOf(target), 'whole');
});
