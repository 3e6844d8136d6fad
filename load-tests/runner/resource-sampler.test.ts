import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import { sourceFlags } from '../../deploy/launcher.mjs';
import { temporaryFolder } from '../../tests/harness/temporary-folder.ts';
import { analyseResources } from '../analysis/resources.ts';
import { bytesIn, watchedFolders } from './folder-sizes.ts';
import { metricsPort, watchedProcess } from './process-metrics.ts';
import { sampleResources, type Watched } from './resource-sampler.ts';

const EVERY_MS = 50;
const SAMPLES = 80;
const FIXTURE = join(import.meta.dirname, 'leaky-process.fixture.ts');

function start(t: TestContext, logFile: string, ...args: readonly string[]): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...sourceFlags, FIXTURE, ...args], {
    stdio: ['ignore', log, 'inherit'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  return child;
}

function untilSeen({ name, look }: Watched): Promise<void> {
  const isSeen = () => look(AbortSignal.timeout(1_000)).then(Boolean, () => false);
  return until(isSeen, `${name} answers`, 60_000);
}

test('a process that leaks memory and descriptors fails a run, and one that does not passes', async (t) => {
  await using folder = await temporaryFolder();
  const watched = ['leak', 'sound'].map((name) => {
    const logFile = join(folder.path, `${name}.log`);
    start(t, logFile, name);
    return watchedProcess(name, logFile);
  });
  await Promise.all(watched.map(untilSeen));
  const seen = watched.map(() => 0);
  const counted = watched.map(({ name, look }, n) => ({
    name,
    look: async (signal: AbortSignal) => {
      const reading = await look(signal);
      seen[n] = (seen[n] ?? 0) + 1;
      return reading;
    },
  }));
  const sampler = sampleResources(counted, EVERY_MS);
  while (Math.min(...seen) < SAMPLES) await sleep(EVERY_MS);
  const { violations, processes } = analyseResources(await sampler.stop(), { isJudged: true });
  assert.match(violations.join('\n'), /^leak: open descriptors grew/m);
  assert.match(violations.join('\n'), /^leak: memory outside of the heap grew|^leak: resident memory grew/m);
  const sound = processes.find(({ name }) => name === 'sound');
  assert.equal(sound?.trends.find(({ measure }) => measure === 'descriptors')?.outcome, 'flat');
  assert.doesNotMatch(violations.join('\n'), /^sound/m);
});

test('a process is found again where its successor tells its figures', async (t) => {
  await using folder = await temporaryFolder();
  const logFile = join(folder.path, 'jobs.log');
  const first = start(t, logFile);
  const watched = watchedProcess('jobs', logFile);
  await untilSeen(watched);
  const { startedAtSeconds } = await watched.look(AbortSignal.timeout(1_000));
  first.kill('SIGKILL');
  await once(first, 'exit');
  await assert.rejects(watched.look(AbortSignal.timeout(1_000)));
  // Start times are in whole seconds.
  await sleep(1_000);
  start(t, logFile);
  await untilSeen(watched);
  assert.notEqual((await watched.look(AbortSignal.timeout(1_000))).startedAtSeconds, startedAtSeconds);
});

test('a process that does not answer is counted as missed, and the others are sampled', async () => {
  const reading = { startedAtSeconds: 1, majorCollections: 0, values: { resident: 1 } };
  const untilStopped = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', reject));
  const processes = [
    { name: 'deaf', look: () => Promise.reject(new Error('no')) },
    { name: 'well', look: async () => reading },
    { name: 'stuck', look: untilStopped },
  ];
  const sampler = sampleResources(processes, 10);
  await sleep(100);
  const [deaf, well, stuck] = await sampler.stop();
  assert.ok((deaf?.missed ?? 0) >= 2 && deaf?.samples.length === 0);
  assert.ok((well?.samples.length ?? 0) >= 2 && well?.missed === 0);
  assert.deepEqual([stuck?.samples.length, stuck?.missed], [0, 0]);
});

test('the port is the last that a log names', () => {
  const line = (port: number) => `{"level":30,"port":${port},"msg":"metrics are served"}\n`;
  assert.equal(metricsPort(`${line(1)}{"port":7,"msg":"other"}\n${line(2)}rest`), 2);
  assert.equal(metricsPort('{"port":7,"msg":"other"}'), undefined);
});

test('folders are as large as all that lies in them, and may not be there', async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  await mkdir(join(dataDir, 'engines', 'kafka', 'topic'), { recursive: true });
  await mkdir(join(dataDir, 'scratch', '0'), { recursive: true });
  await writeFile(join(dataDir, 'engines', 'kafka', 'topic', 'log'), Buffer.alloc(1_500_000));
  await writeFile(join(dataDir, 'scratch', '0', 'part'), Buffer.alloc(500_000));
  assert.equal(await bytesIn(dataDir), 2_000_000);
  assert.equal(await bytesIn(join(dataDir, 'nothing')), 0);
  const looks = (await watchedFolders(dataDir)).map(
    async ({ name, look }) => [name, (await look(AbortSignal.timeout(1_000))).values] as const,
  );
  assert.deepEqual(Object.fromEntries(await Promise.all(looks)), {
    'scratch/': { scratch: 0.5 },
    'logs/': { disk: 0 },
    'kafka/': { disk: 1.5 },
  });
});
