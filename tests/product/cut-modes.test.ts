/**
 * A job of each mode through the API, with the real services and the real engine. Every response is checked
 * against /openapi.json.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { startScriptedSplitter } from '../harness/installation/scripted-splitter.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSources } from '../harness/servers/sources.ts';
import { tone } from '../harness/servers/tones.ts';

const SOURCE_SECONDS = 8;
/** 16-bit samples, mono, at 8 kHz. */
const BYTES_PER_SECOND = 16_000;

interface Segment {
  readonly downloadUrl?: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly cut: string;
  readonly title?: string;
  readonly fileName: string;
  readonly size: number;
}

interface Mode {
  readonly request: { readonly splitMode: string; readonly [field: string]: unknown };
  /** The start, the end and how the cut was found. */
  readonly segments: readonly (readonly [start: number, end: number, cut: string])[];
  readonly names: readonly string[];
  /** Absent: none has one. */
  readonly titles?: readonly (string | undefined)[];
}

const MODES: readonly Mode[] = [
  {
    request: { splitMode: 'duration', segmentDuration: 3 },
    segments: [
      [0, 3, 'exact'],
      [3, 6, 'exact'],
      [6, 8, 'end'],
    ],
    names: ['talk-0.wav', 'talk-1.wav', 'talk-2.wav'],
  },
  {
    request: { splitMode: 'duration', segmentDuration: 3, trim: { start: 1, end: 7.5 } },
    segments: [
      [1, 4, 'exact'],
      [4, 7, 'exact'],
      [7, 7.5, 'end'],
    ],
    names: ['talk-0.wav', 'talk-1.wav', 'talk-2.wav'],
  },
  {
    request: { splitMode: 'fileSize', maxFileSize: 65_536, maxDuration: 4, audioTrack: 0 },
    segments: [
      [0, 4, 'exact'],
      [4, 8, 'end'],
    ],
    names: ['talk-0.wav', 'talk-1.wav'],
  },
  {
    request: { splitMode: 'silence', silence: { threshold: -50, minSilence: 0.5 }, fileName: '{number}' },
    segments: [
      [0, 3, 'silence'],
      [3, 8, 'end'],
    ],
    names: ['1.wav', '2.wav'],
  },
  {
    request: {
      splitMode: 'chapters',
      chapters: [
        { startTime: 0, title: 'One' },
        { startTime: '0:05', title: 'one' },
      ],
      fileName: '{title}',
    },
    segments: [
      [0, 5, 'chapter'],
      [5, 8, 'end'],
    ],
    names: ['One.wav', 'one (2).wav'],
    titles: ['One', 'one'],
  },
  {
    request: {
      splitMode: 'ranges',
      ranges: [
        { start: 5, end: 6, title: 'Late' },
        { start: 0.5, end: 1 },
      ],
    },
    segments: [
      [5, 6, 'range'],
      [0.5, 1, 'range'],
    ],
    names: ['talk-0.wav', 'talk-1.wav'],
    titles: ['Late', undefined],
  },
  {
    request: { splitMode: 'parts', parts: 4 },
    segments: [
      [0, 2, 'exact'],
      [2, 4, 'exact'],
      [4, 6, 'exact'],
      [6, 8, 'end'],
    ],
    names: ['talk-0.wav', 'talk-1.wav', 'talk-2.wav', 'talk-3.wav'],
  },
];

describe('a job of each mode', () => {
  const installation = forSuite(startWithSplitter);

  for (const { request, segments: expected, names, titles = names.map(() => undefined) } of MODES) {
    const { splitMode } = request;
    // Covers C-2.2 C-2.6 C-2.25 C-2.32 C-2.36 C-3.6 C-4.16 C-4.17 C-4.18 C-4.19
    // Covers C-6.3 C-8.9 C-9.1 C-9.2 C-9.4 C-10.4
    test(`${splitMode}: the segments, their files, and a dry run`, async () => {
      const { job, holder } = await installation.split(request);
      const segments: Segment[] = job.segments;
      assert.deepEqual(
        segments.map(({ startTime, endTime, cut }) => [startTime, endTime, cut]),
        expected,
      );
      assert.deepEqual(
        segments.map(({ fileName }) => fileName),
        names,
      );
      assert.deepEqual(
        segments.map(({ title }) => title),
        titles,
      );
      for (const { downloadUrl = '', startTime, endTime, size } of segments) {
        const bytes = await (await fetch(downloadUrl)).arrayBuffer();
        assert.equal(bytes.byteLength, size);
        const sampleBytes = (endTime - startTime) * BYTES_PER_SECOND;
        assert.ok(size > sampleBytes && size < sampleBytes + 1_024, `${size} bytes`);
      }
      const dry = await installation.split({ ...request, dryRun: true }, holder);
      assert.deepEqual(
        dry.job.segments,
        segments.map(
          ({ downloadUrl: _, expiresAt: __, ...segment }: Segment & { expiresAt?: string }) => segment,
        ),
      );
      await holder.withKey('GET /splits');
      const { status } = await holder.withKey(`GET /splits/${dry.job.id}/archive`);
      assert.equal(status, 404);
    });
  }

  // Covers C-9.1 C-9.3 C-9.4
  test('a dry run of an encoding estimates its sizes, and tells the times and names of the job', async () => {
    const request = { splitMode: 'parts', parts: 2, outputFormat: 'mp3', fileName: '{number} of {count}' };
    const { job, holder } = await installation.split(request);
    const dry = await installation.split({ ...request, dryRun: true }, holder);
    assert.equal(job.segments.length, 2);
    for (const [index, segment] of job.segments.entries()) {
      const { size, sizeIsEstimate, ...planned } = dry.job.segments[index];
      const { size: written, downloadUrl, expiresAt, ...made } = segment;
      assert.deepEqual(planned, made);
      assert.deepEqual([sizeIsEstimate, typeof downloadUrl, typeof expiresAt], [true, 'string', 'string']);
      assert.ok(size > written / 2 && size < written * 2, `${size} for ${written} bytes`);
    }
  });

  // Covers C-9.7 C-10.8 C-10.9
  test('the usage counts the segments, and no dry run', async () => {
    const { holder } = await installation.split({ splitMode: 'ranges', ranges: [{ start: 0, end: 1.5 }] });
    const dryRun = { splitMode: 'ranges', ranges: [{ start: 0 }], dryRun: true };
    await installation.split(dryRun, holder);
    await installation.split({ splitMode: 'duration', segmentDuration: 5 }, holder);
    const usedMs = 2_000 + SOURCE_SECONDS * 1_000;
    await until(async () => (await installation.countedMs(holder.accountId)).length === 2, 'two are counted');
    const counted = await installation.countedMs(holder.accountId);
    assert.equal(
      counted.reduce((sum, ms) => sum + ms, 0),
      usedMs,
    );
  });
});

async function startWithSplitter() {
  await using starting = new AsyncDisposableStack();
  const services = starting.use(await startInstallation({ kind: 'scripted', clock: 'system' }));
  const splitter = starting.use(await startScriptedSplitter(services, { env: {} }));
  services.serve('splitter', splitter.routes);
  const isSilentAt = (seconds: number) => seconds >= 2.5 && seconds < 3.5;
  const talk = tone(SOURCE_SECONDS, (seconds) =>
    isSilentAt(seconds) ? 0 : 8_000 * Math.sin(2 * Math.PI * 440 * seconds),
  );
  const sources = starting.use(await startSources({ files: { 'talk.wav': talk } }));
  const running = starting.move();
  return {
    async split(request: Mode['request'], caller?: Awaited<ReturnType<typeof services.register>>) {
      const holder = caller ?? (await services.register());
      const jobId = await holder.create({ sourceUrl: sources.url('talk.wav'), ...request });
      const read = async () => (await holder.withKey(`GET /splits/${jobId}`)).body;
      await until(async () => /completed|failed/.test((await read()).status), 'the job ends');
      const job = await read();
      assert.equal(job.status, 'completed', JSON.stringify(job));
      return { job, holder };
    },
    /** The durations of the jobs that billing has counted. */
    async countedMs(accountId: string): Promise<number[]> {
      const { rows } = await services.sql.query<{ ms: string }>(
        'select source_duration_ms::text as ms from billing.job_usage where account_id = $1',
        [accountId],
      );
      return rows.map(({ ms }) => Number(ms));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
