/** The limit on the total size of a split's segments, and the disk space that they use meanwhile. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { createSource } from '../copy/testing/ffmpeg.ts';
import type { SplitOptions } from '../media.ts';
import { MediaError } from '../media-error.ts';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { failsWith } from '../testing/fails-with.ts';
import { type SplitRun, startSplit } from '../testing/split-run.ts';

const RATE_HZ = 44_100;
/** 16-bit mono, like the silence. */
const WAV_BYTES_PER_SECOND = 2 * RATE_HZ;
const HEADER_BYTES = 1_000;

const samples = forSuite(createAudioSamples);
const sources = forSuite(async () => {
  const path = await samples.make(
    'silence.flac',
    `anullsrc=r=${RATE_HZ}:cl=mono`,
    '-t',
    '600',
    '-c:a',
    'flac',
  );
  return {
    /** Ten minutes in a few kilobytes. */
    silence: await readFile(path),
    /** 20 s of noise. */
    noise: await createSource({
      seconds: 20,
      sampleRateHz: RATE_HZ,
      channelCount: 1,
      extension: 'mp3',
      encode: ['-c:a', 'libmp3lame', '-b:a', '64k'],
    }),
  };
}, samples);

function start(source: Buffer, options: Partial<SplitOptions>): Promise<SplitRun> {
  const cut = { mode: 'duration', segmentDurationSeconds: 60 } as const;
  return startSplit(source, { cut, ...options });
}

/** The bytes that the message states: planned, and allowed. */
async function refusedBytes(run: SplitRun): Promise<{ readonly planned: number; readonly allowed: number }> {
  const error = await run.outcome.then(
    () => assert.fail('it was split'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof MediaError, String(error));
  assert.equal(error.failure, 'OUTPUT_TOO_LARGE', error.message);
  assert.deepEqual(await run.leftovers(), []);
  const [, planned, allowed] =
    /would take (\d+) bytes together; the plan allows (\d+)\./.exec(error.message) ?? [];
  return { planned: Number(planned), allowed: Number(allowed) };
}

function bytesOf({ segments }: SplitRun): number {
  return segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function planned(request: CutRequest): Pick<SplitOptions, 'cut'> {
  return { cut: { mode: 'planned', request } };
}

describe('the limit of output', () => {
  // Covers B-5.2
  test('a flac of silence that would become a wav above the limit is rejected before anything is encoded', async () => {
    assert.ok(sources.silence.length < 200_000);
    await using run = await start(sources.silence, { outputFormat: 'wav', maxOutputBytes: 10_000_000 });
    const { planned, allowed } = await refusedBytes(run);
    assert.equal(run.segments.length, 0);
    assert.equal(planned, 600 * WAV_BYTES_PER_SECOND);
    assert.equal(allowed, 10_000_000);
  });

  test('output within the limit is written', async () => {
    const maxOutputBytes = 600 * WAV_BYTES_PER_SECOND + 10 * HEADER_BYTES;
    await using run = await start(sources.silence, { outputFormat: 'wav', maxOutputBytes });
    assert.equal((await run.outcome).segmentCount, 10);
    assert.ok(bytesOf(run) <= maxOutputBytes);
  });

  // Covers B-5.4
  test('the quota is checked first', async () => {
    for (const options of [{}, planned({ splitMode: 'duration', segmentDuration: 60, overlap: 1 })]) {
      const bounds = { maxOutputBytes: 1_000, maxSourceDurationMs: 300_000 };
      await using run = await start(sources.silence, { outputFormat: 'wav', ...bounds, ...options });
      await assert.rejects(run.outcome, failsWith('QUOTA_EXCEEDED'));
      assert.equal(run.segments.length, 0);
    }
  });

  // Covers B-5.3
  test('a flac whose STREAMINFO claims one second is stopped while it is written', async () => {
    const source = Buffer.from(sources.silence);
    source.writeUInt32BE(RATE_HZ, 22);
    for (const segmentDurationSeconds of [20, 600]) {
      const cut = { mode: 'duration', segmentDurationSeconds } as const;
      await using run = await start(source, { cut, outputFormat: 'wav', maxOutputBytes: 5_000_000 });
      const { planned } = await refusedBytes(run);
      assert.ok(planned > 5_000_000 && planned < 7_000_000, `${planned}`);
      assert.ok(bytesOf(run) <= 5_000_000);
    }
  });

  test('overlap and overlapping ranges count the bytes that they write', async () => {
    const ranges = Array.from({ length: 8 }, () => ({ start: 0, end: 20 }));
    const wavBytes = 20 * WAV_BYTES_PER_SECOND;
    for (const [request, factor] of [
      [{ splitMode: 'ranges', ranges }, 8],
      // Segments of 2.9 s except the first; each begins 0.9 s earlier.
      [{ splitMode: 'duration', segmentDuration: 2, overlap: 0.9 }, 1.3],
    ] as const) {
      const maxOutputBytes = Math.round(1.2 * wavBytes);
      await using run = await start(sources.noise, {
        ...planned(request),
        outputFormat: 'wav',
        maxOutputBytes,
      });
      const { planned: plannedBytes } = await refusedBytes(run);
      assert.ok(plannedBytes > factor * wavBytes * 0.99, `${plannedBytes}`);
      assert.equal(run.segments.length, 0);
    }
    await using copied = await start(sources.noise, {
      ...planned({ splitMode: 'ranges', ranges }),
      maxOutputBytes: 4 * sources.noise.length,
    });
    assert.ok((await refusedBytes(copied)).planned > 7 * sources.noise.length);
    assert.equal(copied.segments.length, 0);
  });

  test('a dry run writes nothing, and has no limit', async () => {
    const request: CutRequest = { splitMode: 'duration', segmentDuration: 2, dryRun: true };
    await using run = await start(sources.noise, {
      ...planned(request),
      outputFormat: 'wav',
      maxOutputBytes: 1_000,
    });
    assert.equal((await run.outcome).segmentCount, 10);
  });

  test('every copy of a cover picture counts, and one that is too large for a segment is omitted', async () => {
    const cut = { mode: 'duration', segmentDurationSeconds: 1 } as const;
    const carried = withCover(sources.noise, 900_000);
    await using copied = await start(carried, { cut, maxOutputBytes: 4_000_000 });
    assert.ok((await refusedBytes(copied)).planned <= 4_000_000 + 1_000_000);
    assert.ok(copied.segments.length < 5);
    await using converted = await start(carried, { cut, outputFormat: 'flac', maxOutputBytes: 4_000_000 });
    const { planned } = await refusedBytes(converted);
    assert.ok(planned > 4_000_000, `${planned}`);
    assert.ok(bytesOf(converted) <= 4_000_000);
    await using dropped = await start(withCover(sources.noise, 15_000_000), {
      cut,
      maxOutputBytes: 4_000_000,
    });
    assert.equal((await dropped.outcome).segmentCount, 20);
  });
});

describe('the space reserved for a split', () => {
  for (const [name, options] of Object.entries({
    'segments that are encoded one by one': { outputFormat: 'wav' },
    'a single long segment': { outputFormat: 'wav', cut: { mode: 'duration', segmentDurationSeconds: 600 } },
    'a stream that is cut after the encoder': {
      outputFormat: 'flac',
      cut: { mode: 'fileSize', maxFileSizeBytes: 100_000 },
    },
    'segments by plan': { outputFormat: 'wav', ...planned({ splitMode: 'parts', parts: 20 }) },
  } satisfies Record<string, Partial<SplitOptions>>)) {
    test(`${name}: the disk never contains more than was reserved before`, async () => {
      let reservedBytes = 0;
      let mostBytes = 0;
      let scratchDir = '';
      await using run = await start(sources.silence, {
        ...options,
        scratchRoom: {
          shareBytes: 20_000_000,
          reserve: async (bytes) => {
            reservedBytes = Math.max(reservedBytes, bytes);
          },
        },
        // Segments are consumed slowly: the following ones wait on disk.
        onSegment: async ({ path }) => {
          scratchDir = join(path, '..');
          const held = bytesBelow(scratchDir) - bytesOf(run) + statSync(path).size;
          mostBytes = Math.max(mostBytes, held);
        },
      });
      await run.outcome;
      assert.ok(reservedBytes > 0 && mostBytes > 0);
      assert.ok(mostBytes <= reservedBytes + sources.silence.length, `${mostBytes} of ${reservedBytes}`);
    });
  }

  test('a rejection ends the split before anything is written', async () => {
    const refusal = new MediaError('OUTPUT_TOO_LARGE', 'never fits');
    for (const outputFormat of ['wav', 'flac'] as const) {
      await using run = await start(sources.silence, {
        outputFormat,
        scratchRoom: { shareBytes: 1_000, reserve: () => Promise.reject(refusal) },
      });
      await assert.rejects(run.outcome, refusal);
      assert.deepEqual([run.segments.length, await run.leftovers()], [0, []]);
    }
  });
});

function bytesBelow(dir: string): number {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => {
    if (!entry.isFile()) return sum;
    return sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** Prepends an ID3 tag with a picture. */
function withCover(mp3: Buffer, coverBytes: number): Buffer {
  const picture = Buffer.concat([
    Buffer.from('\0image/jpeg\0\x03\0', 'latin1'),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    Buffer.alloc(coverBytes),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(picture.length);
  const frame = Buffer.concat([Buffer.from('APIC'), size, Buffer.alloc(2), picture]);
  const syncsafe = [21, 14, 7, 0].map((shift) => (frame.length >> shift) & 0x7f);
  const tag = Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from(syncsafe), frame]);
  return Buffer.concat([tag, mp3]);
}
