/** Both ways to cut, in every format: each segment is downloaded, decoded and measured. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompletedJob, Segment, SplitRequest } from '@audiosplit/client';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { completeJob, createJob, sampleBy, sampleUrl } from './api.ts';
import { judgeAudio } from './audio.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

const SAMPLE_SECONDS = 48;
const EXACT_SECONDS = 0.001;
/**
 * AAC and Vorbis use frames of up to 1024 new samples; if a file ends within the last one, its container
 * states where. The ffmpeg of these tests plays that frame in full.
 */
const LAST_FRAME_SECONDS = 1024 / 44_100;

interface Format {
  readonly codec: string;
  readonly extension: string;
  readonly type: RegExp;
  /** A maximum size for which the sample must be cut. */
  readonly maxFileSize: number;
  /** How much the test's decoder may return after a segment's end. */
  readonly padding?: number;
}

type OutputFormat = NonNullable<SplitRequest['outputFormat']>;

const PADDED = { maxFileSize: 100_000, padding: LAST_FRAME_SECONDS };
const FORMATS: Readonly<Record<OutputFormat, Format>> = {
  mp3: { codec: 'mp3', extension: 'mp3', type: /^audio\/mpeg$/, maxFileSize: 100_000 },
  wav: { codec: 'pcm_s16le', extension: 'wav', type: /^audio\/(wav|x-wav|vnd\.wave)$/, maxFileSize: 900_000 },
  flac: { codec: 'flac', extension: 'flac', type: /^audio\/flac$/, maxFileSize: 300_000 },
  ogg: { codec: 'vorbis', extension: 'ogg', type: /^audio\/ogg$/, ...PADDED },
  aac: { codec: 'aac', extension: 'm4a', type: /^audio\/mp4$/, ...PADDED },
};

for (const [outputFormat, format] of Object.entries(FORMATS) as [OutputFormat, Format][]) {
  // Covers I-1.1 I-1.2 I-1.3 I-1.5 I-3.1.1 I-2.2.1 I-2.2.2 I-2.2.5 I-2.2.10 I-2.2.11 I-2.3.1 I-2.3.2
  // Covers I-2.3.3 I-2.3.4 D-2.23 D-2.25 D-2.41 D-2.53
  scenario(
    `splits by length into ${outputFormat}: every segment plays, and together they equal the source`,
    { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
    async (product) => {
      const job = await split(product, { splitMode: 'duration', segmentDuration: 7, outputFormat });
      assert.equal(job.segmentDuration, 7);
      assert.equal(job.segments.map(({ duration }) => duration).join(), '7,7,7,7,7,7,6');
      await checkSegments(job, format);
    },
  );

  // Covers I-1.4 I-1.5 I-2.2.6
  scenario(
    `splits by size into ${outputFormat}: no segment exceeds the ceiling, and together they equal the source`,
    { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
    async (product) => {
      const { maxFileSize } = format;
      const job = await split(product, { splitMode: 'fileSize', maxFileSize, outputFormat });
      assert.equal(job.maxFileSize, maxFileSize);
      assert.ok(job.segments.length > 1);
      for (const { index, size } of job.segments)
        assert.ok(size <= maxFileSize, `segment ${index} has ${size} bytes`);
      await checkSegments(job, format);
    },
  );
}

// Covers I-4.3.5 D-2.28
scenario(
  'keeps the format of the source when none is requested',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async (product) => {
    const created = await createJob(product, sampleBy(product, 20));
    assert.equal('outputFormat' in created, false);
    const job = await completeJob(product, created.id);
    assert.equal(job.outputFormat, 'mp3');
    assert.equal(job.segments.length, 3);
  },
);

type Cut = Pick<SplitRequest, 'outputFormat'> &
  (
    | { readonly splitMode: 'duration'; readonly segmentDuration: number }
    | { readonly splitMode: 'fileSize'; readonly maxFileSize: number }
  );

async function split(product: Product, cut: Cut) {
  const metadata = { episode: 7, tags: ['a', 'b'] };
  const sourceUrl = sampleUrl(product);
  const created = await createJob(product, { sourceUrl, ...cut, metadata });
  assert.match(created.id, /^job_/);
  assert.equal(created.status, 'queued');
  assert.equal(created.outputFormat, cut.outputFormat);
  assert.deepEqual(created.metadata, metadata);
  const job = await completeJob(product, created.id);
  assert.equal(job.sourceFileName, 'tour.mp3');
  assert.equal(job.sourceDuration, SAMPLE_SECONDS);
  assert.equal(job.outputFormat, cut.outputFormat);
  assert.deepEqual(job.metadata, metadata);
  return job;
}

async function checkSegments(job: Pick<CompletedJob, 'segments'>, format: Format): Promise<void> {
  await using folder = await temporaryFolder();
  const { padding: paddingSeconds = 0 } = format;
  let heardSeconds = 0;
  const assertHeard = (seconds: number, segmentCount: number) => {
    const surplus = heardSeconds - seconds;
    const isInPlace = surplus > -EXACT_SECONDS && surplus < EXACT_SECONDS + segmentCount * paddingSeconds;
    assert.ok(isInPlace, `${segmentCount} segments play ${heardSeconds} s instead of ${seconds} s`);
  };
  for (const [position, segment] of job.segments.entries()) {
    assert.equal(segment.index, position);
    assert.ok(Date.parse(segment.expiresAt ?? '') > Date.now());
    assertHeard(segment.startTime, position);
    const path = join(folder.path, `${position}.${format.extension}`);
    await writeFile(path, await download(segment, format));
    const { codec, seconds } = await judgeAudio(path);
    assert.equal(codec, format.codec);
    assert.ok(Math.abs(segment.duration - seconds) <= 0.5 + EXACT_SECONDS + paddingSeconds, `${seconds} s`);
    heardSeconds += seconds;
  }
  assertHeard(SAMPLE_SECONDS, job.segments.length);
}

async function download({ downloadUrl = '', size }: Segment, format: Format) {
  const response = await fetch(downloadUrl);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', format.type);
  const disposition = response.headers.get('content-disposition') ?? '';
  assert.match(disposition, new RegExp(`tour-\\d+\\.${format.extension}`));
  assert.equal(Number(response.headers.get('content-length')), size);
  const bytes = await response.bytes();
  assert.equal(bytes.length, size);
  return bytes;
}
