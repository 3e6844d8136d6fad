import assert from 'node:assert/strict';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { keepPodLogs } from './pod-logs.ts';

test('warnings of a pod that has gone are found, in order with those of others', async () => {
  await using folder = await temporaryFolder();
  await using logs = await keepPodLogs({ folders: [folder.path], keptIn: join(folder.path, 'kept') });
  const write = async (pod: string, ...lines: readonly object[]) => {
    const container = join(folder.path, `pods/audiosplit_${pod}_1b2c/jobs`);
    await mkdir(container, { recursive: true });
    const text = lines.map((line) => `2026-11-26T10:00:00.1Z stderr F ${JSON.stringify(line)}\n`).join('');
    await appendFile(join(container, '0.log'), text);
    return container;
  };
  const at = (second: number) => `2026-11-26T10:00:0${second}.000Z`;
  const warnings = () => logs.warningsSince(new Date(at(1)));
  const gone = await write('jobs-a', { level: 40, time: at(0), msg: 'before' });
  await write(
    'jobs-a',
    { level: 30, time: at(1), msg: 'all is well' },
    { level: 40, time: at(3), msg: 'slow', reason: 'late' },
  );
  await until(async () => (await warnings()).length === 1, 'the first log is kept');
  await rm(gone, { recursive: true });
  await write('jobs-b', { level: 50, time: at(2), msg: 'call failed', err: { message: 'no answer' } });
  await until(async () => (await warnings()).length === 2, 'the second log is kept');
  assert.deepEqual(await warnings(), [
    `${at(2)} audiosplit/jobs-b call failed: no answer`,
    `${at(3)} audiosplit/jobs-a slow: late`,
  ]);
});
