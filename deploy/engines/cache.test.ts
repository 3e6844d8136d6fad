import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ensureDirectory } from './cache.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audiosplit-cache-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const fillWith = (text: string) => (dir: string) => writeFile(join(dir, 'content'), text);
const contentOf = (target: string) => readFile(join(target, 'content'), 'utf8');
const entriesOf = async (target: string) =>
  (await readdir(folder)).filter((name) => join(folder, name).startsWith(target));

test('two at once fill it once, and nothing is left beside it', async () => {
  const target = join(folder, 'once');
  const fills: string[] = [];
  const fill = (name: string) => async (dir: string) => {
    fills.push(name);
    await fillWith(name)(dir);
  };
  await Promise.all([ensureDirectory(target, fill('first')), ensureDirectory(target, fill('second'))]);
  await ensureDirectory(target, fill('third'));
  assert.equal(fills.length, 1);
  assert.equal(await contentOf(target), fills[0]);
  assert.deepEqual(await entriesOf(target), [target.slice(folder.length + 1)]);
});

test('where the one that fills it fails, the one that waits takes its place', async () => {
  const target = join(folder, 'failed');
  let waiting: Promise<void> | undefined;
  const failing = ensureDirectory(target, async () => {
    waiting = ensureDirectory(target, fillWith('whole'));
    throw new Error('no space left');
  });
  await assert.rejects(failing, /no space left/);
  await waiting;
  assert.equal(await contentOf(target), 'whole');
});

test('the claim of a process that was killed holds nobody up', async () => {
  const target = join(folder, 'killed');
  const { pid } = spawnSync(process.execPath, ['--version']);
  await writeFile(`${target}.filled-by`, JSON.stringify({ pid, startTicks: 1 }));
  await ensureDirectory(target, fillWith('whole'));
  assert.equal(await contentOf(target), 'whole');
  assert.deepEqual(await entriesOf(target), [target.slice(folder.length + 1)]);
});

test('nor does one whose number another process has by now', async () => {
  const target = join(folder, 'reused');
  await writeFile(`${target}.filled-by`, JSON.stringify({ pid: process.pid, startTicks: 1 }));
  await ensureDirectory(target, fillWith('whole'));
  assert.equal(await contentOf(target), 'whole');
});
