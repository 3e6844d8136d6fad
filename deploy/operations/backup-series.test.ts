import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dropOldBackups, nameOfBackup } from './backup-series.ts';

const WHOLE = [
  '2026-11-19T06-00-00Z',
  '2026-11-20T06-00-00Z',
  '2026-11-21T06-00-00Z',
  '2026-11-22T06-00-00Z',
];

async function series(t: TestContext, { whole, broken }: Record<'whole' | 'broken', readonly string[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-series-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of [...whole, ...broken]) await mkdir(join(folder, name));
  for (const name of whole) await writeFile(join(folder, name, 'manifest.json'), '{}');
  return folder;
}

test('names contain the time, and are ordered by it', () => {
  const name = nameOfBackup(new Date('2026-11-22T06:30:05.250Z'));
  assert.equal(name, '2026-11-22T06-30-05-250Z');
  assert.ok(name < nameOfBackup(new Date('2026-11-22T06:30:05.251Z')));
  assert.ok(name < nameOfBackup(new Date('2026-12-01T00:00:00Z')));
});

test('the newest backups are kept', async (t) => {
  const folder = await series(t, { whole: WHOLE, broken: [] });
  assert.deepEqual(await dropOldBackups(folder, 3), WHOLE.slice(0, 1));
  assert.deepEqual((await readdir(folder)).sort(), WHOLE.slice(1));
  assert.deepEqual(await dropOldBackups(folder, 3), []);
});

test('backups named with milliseconds follow those named without', async (t) => {
  const newest = nameOfBackup(new Date('2026-11-22T06:00:01.002Z'));
  const folder = await series(t, { whole: [...WHOLE, newest], broken: [] });
  assert.deepEqual(await dropOldBackups(folder, 2), WHOLE.slice(0, 3));
  assert.deepEqual((await readdir(folder)).sort(), [WHOLE[3], newest]);
});

test('failed backups do not count among the kept ones, and are deleted with complete ones of their age', async (t) => {
  const broken = ['2026-11-19T18-00-00Z', '2026-11-21T18-00-00Z', '2026-11-22T18-00-00Z'];
  const folder = await series(t, { whole: WHOLE, broken });
  assert.deepEqual(await dropOldBackups(folder, 2), [WHOLE[0], broken[0], WHOLE[1]]);
  assert.deepEqual((await readdir(folder)).sort(), [...WHOLE.slice(2), ...broken.slice(1)].sort());
});

test('nothing is deleted while there are fewer complete backups than to be kept', async (t) => {
  const folder = await series(t, { whole: WHOLE.slice(3), broken: WHOLE.slice(0, 3) });
  assert.deepEqual(await dropOldBackups(folder, 2), []);
});

test('folders with other names are not touched', async (t) => {
  const folder = await series(t, { whole: [...WHOLE, 'before-0.2.0'], broken: ['lost+found'] });
  await dropOldBackups(folder, 1);
  assert.deepEqual((await readdir(folder)).sort(), [...WHOLE.slice(3), 'before-0.2.0', 'lost+found'].sort());
});
