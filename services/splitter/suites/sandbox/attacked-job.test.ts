import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import { createPrometheus } from '@audiosplit/chassis/observability/prometheus';
import { createLogger, silentLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import { isAttack } from '@audiosplit/engine/media-error';
import { findSandbox } from '@audiosplit/engine/sandbox/find-sandbox';
import { WaveformOutcome } from '@audiosplit/proto/splitter/v1/splitter';
import { startEngineThreads } from '../../src/engine-thread/engine-threads.ts';
import { METRICS } from '../../src/metrics.ts';
import { createWaveforms } from '../../src/waveform/waveforms.ts';
import { startWorkerFixture } from '../../src/work/worker.fixture.ts';

const ENGINE_SUITES = join(import.meta.dirname, '../../../../clients/engine/suites');
/** It makes a socket, regardless of its input. */
const ffmpegPath = join(ENGINE_SUITES, `sandbox/attempts-${process.arch}`);
const sandbox = await findSandbox(ffmpegPath);
const skip = sandbox.level === 'full' ? false : `the level of this host is ${sandbox.level}`;
const SOURCE = join(ENGINE_SUITES, 'golden/sources/ogg-vorbis.ogg');

test('a job that takes over ffmpeg fails as one without audio, and is logged as an error and counted', {
  skip,
}, async () => {
  const entries: Record<string, unknown>[] = [];
  const log = createLogger('splitter', 'error', { write: (line) => void entries.push(JSON.parse(line)) });
  using prometheus = createPrometheus({ processes: ['splitter'], metrics: METRICS, log });
  await using threads = await startEngineThreads({ log });
  const source = await readFile(SOURCE);
  await using fixture = await startWorkerFixture({
    engine: (options) =>
      threads.split({ ...options, source: inOneChunk(source), outputFormat: 'mp3', ffmpegPath, sandbox }),
    log,
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.failed.length === 1);

  const [failed] = fixture.said.failed;
  assert.deepEqual([failed?.error?.code, failed?.retryable], ['UNSUPPORTED_MEDIA', false]);
  assert.equal(failed?.error?.message, 'The source holds no audio that can be decoded.');
  assert.deepEqual(
    entries.map(({ msg, jobId }) => [msg, jobId]),
    [['the source tried to take over ffmpeg', 'job_1']],
  );
  assert.match(JSON.stringify(entries), /ffmpeg made a forbidden system call/);
  assert.match(await prometheus.scrape(), /^audiosplit_decoder_attacks_total 1$/m);
});

test('a waveform whose segment takes over ffmpeg is not drawn, and is logged and counted in the same way', {
  skip,
}, async () => {
  const entries: Record<string, unknown>[] = [];
  const log = createLogger('splitter', 'error', { write: (line) => void entries.push(JSON.parse(line)) });
  using prometheus = createPrometheus({ processes: ['splitter'], metrics: METRICS, log });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-attacked-'));
  await using store = await openFileObjectStore({ directory: join(folder.path, 'objects') });
  const objectKey = 'jobs/job_1/1/0.ogg';
  await store.put(objectKey, createReadStream(SOURCE), { contentType: 'audio/ogg' });
  const cores = { room: () => 1 };
  const scratchDir = join(folder.path, 'scratch');
  using waveforms = createWaveforms({ store, cores, scratchDir, ffmpegPath, sandbox, log });
  const { size } = await stat(SOURCE);
  const segments = [{ objectKey, startMs: 0n, sizeBytes: BigInt(size) }];
  const request = { accountId: 'acc_1', durationMs: 1_000n, segments };

  const answer = await waveforms.draw(request, AbortSignal.timeout(60_000));
  assert.deepEqual(answer, { outcome: WaveformOutcome.UNDECODABLE });
  assert.deepEqual(
    entries.map(({ msg, objectKey: key }) => [msg, key]),
    [['the source tried to take over ffmpeg', objectKey]],
  );
  assert.match(await prometheus.scrape(), /^audiosplit_decoder_attacks_total 1$/m);
});

test('an attack is also reported if its job is canceled as ffmpeg ends', { skip }, async () => {
  await using threads = await startEngineThreads({ log: silentLogger() });
  const source = await readFile(SOURCE);
  const failures: unknown[] = [];
  await using fixture = await startWorkerFixture({
    async engine(options) {
      const signal = AbortSignal.any([options.signal]);
      Object.defineProperty(signal, 'aborted', { get: () => true });
      const split = {
        ...options,
        signal,
        source: inOneChunk(source),
        outputFormat: 'mp3',
        ffmpegPath,
        sandbox,
      } as const;
      return await threads.split(split).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
    },
  });
  await fixture.offer('job_1');
  await until(() => failures.length === 1);
  assert.ok(isAttack(failures[0]));
});

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
