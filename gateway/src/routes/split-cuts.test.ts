/**
 * POST /splits with the fields of every mode: accepted values come back as numbers, contradictions are named.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type CutFields, fromCutFields, toCutFields } from '@audiosplit/proto/cut';
import type { CreateJobRequest } from '@audiosplit/proto/jobs/v1/jobs';
import { CUT_EXAMPLES } from '../schemas/split-modes.ts';
import type { CompletedJob, QueuedJob } from '../schemas/splits.ts';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { completed, type JobInit, queued } from './split-jobs.fixture.ts';

const SOURCE = { sourceUrl: 'https://example.com/a.mp3' };
const DURATION = { splitMode: 'duration', segmentDuration: 60 };
const RANGES = { splitMode: 'ranges', ranges: [{ start: 0 }] };
const WINDOW = { window: 10 };

describe('the fields of a cut', () => {
  let apiKey: string;
  let created: CreateJobRequest | undefined;
  let stored: JobInit = completed;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          getJob: () => ({ job: stored }),
          listJobs: () => ({ jobs: [stored], total: 1n }),
          createJob(request) {
            created = request;
            return { job: { ...queued, ...(request.request && { request: request.request }) } };
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });
  const post = (cut: object) => {
    created = undefined;
    return gateway.call('/api/v1/splits', { method: 'POST', apiKey, json: { ...SOURCE, ...cut } });
  };
  /** The cut in the response. */
  const accept = async (cut: object) => {
    const response = await post(cut);
    assert.equal(response.status, 201, JSON.stringify(cut));
    const { id, status, phase, sourceUrl, createdAt, ...shown } = await readJson<QueuedJob>(response);
    assert.ok(id && status && phase && sourceUrl && createdAt);
    return shown;
  };
  const refuse = async (field: string, cut: object) => {
    const response = await post(cut);
    assert.equal(response.status, 400, `${field} ${JSON.stringify(cut)}`);
    const { details } = await expectError(response, 'INVALID_PARAMS');
    assert.deepEqual(
      details.map((detail) => detail.field),
      [field],
      JSON.stringify([cut, details]),
    );
    assert.equal(created, undefined);
  };

  test('the example of each mode is accepted', async () => {
    for (const example of CUT_EXAMPLES) assert.equal((await accept(example)).splitMode, example.splitMode);
  });

  // Covers C-1.5 C-2.16 C-10.1
  test('given fields are returned and passed to the service, without defaults', async () => {
    const cuts = [
      { ...DURATION, maxFileSize: 65_536, maxDuration: 1.5, overlap: 0, trim: { start: 0 }, dryRun: false },
      {
        splitMode: 'fileSize',
        maxFileSize: 65_536,
        audioTrack: 0,
        snapToSilence: { window: 0.1, threshold: -90 },
      },
      { splitMode: 'silence' },
      { splitMode: 'silence', silence: {} },
      {
        splitMode: 'silence',
        silence: { threshold: 'auto', minSilence: 0.1, minDuration: 0, keepSilence: 10 },
      },
      { splitMode: 'chapters' },
      {
        splitMode: 'chapters',
        chapters: [
          { startTime: 0, title: 'é'.repeat(500), img: 'https://example.com/a.png', toc: false },
          { startTime: 0, endTime: 5, url: '', location: { name: 'Rome', geo: 'geo:1,2' } },
        ],
      },
      {
        ...RANGES,
        ranges: [
          { start: 5, end: 6, title: '' },
          { start: 0, end: 1_000_000 },
        ],
      },
      { splitMode: 'ranges', splitPoints: [0.001, 1_000_000], audioTrack: 'Eng', encoding: { bitDepth: 24 } },
      {
        splitMode: 'parts',
        parts: 1_000,
        encoding: { sampleRate: 44_100, channels: 2, bitrate: 96_000, loudness: { target: -16.5 } },
        preset: 'speech',
        fileName: '{number} of {count} {title}',
        dryRun: true,
      },
    ];
    for (const cut of cuts) {
      assert.deepEqual(await accept(cut), cut);
      assert.deepEqual(toCutFields(created?.request?.cut), cut);
    }
  });

  // Covers C-1.6 C-1.11
  test('times may be text, and are rounded to the millisecond', async () => {
    assert.deepEqual(
      await accept({
        splitMode: 'chapters',
        chapters: [{ startTime: '0:00.5' }, { startTime: '1:02:03.456', endTime: '999:59' }],
        trim: { start: '90:00', end: 7_200.00049 },
        maxDuration: 10.00051,
      }),
      {
        splitMode: 'chapters',
        chapters: [{ startTime: 0.5 }, { startTime: 3_723.456, endTime: 59_999 }],
        trim: { start: 5_400, end: 7_200 },
        maxDuration: 10.001,
      },
    );
    assert.deepEqual(await accept({ splitMode: 'ranges', splitPoints: ['0:01', 1.5, '999:59:59.999'] }), {
      splitMode: 'ranges',
      splitPoints: [1, 1.5, 3_599_999.999],
    });
  });

  // Covers C-1.4 C-1.8 C-4.1 C-6.1 C-7.1 C-8.1
  test('a value out of range is reported with its path', async () => {
    const cases: readonly (readonly [field: string, cut: object])[] = [
      ['maxDuration', { ...DURATION, maxDuration: 0.999 }],
      ['maxDuration', { ...DURATION, maxDuration: '1:00' }],
      ['maxFileSize', { ...DURATION, maxFileSize: 65_535 }],
      ['parts', { splitMode: 'parts', parts: 1 }],
      ['parts', { splitMode: 'parts', parts: 1_001 }],
      ['parts', { splitMode: 'parts' }],
      ['overlap', { ...DURATION, overlap: -1 }],
      ['overlap', { ...DURATION, segmentDuration: 600, overlap: 30.5 }],
      ['silence.threshold', { splitMode: 'silence', silence: { threshold: -91 } }],
      ['silence.threshold', { splitMode: 'silence', silence: { threshold: 'low' } }],
      ['silence.minSilence', { splitMode: 'silence', silence: { minSilence: 0.05 } }],
      ['silence.minDuration', { splitMode: 'silence', silence: { minDuration: 3_601 } }],
      ['silence.keepSilence', { splitMode: 'silence', silence: { keepSilence: 11 } }],
      ['silence.depth', { splitMode: 'silence', silence: { depth: 1 } }],
      ['chapters', { splitMode: 'chapters', chapters: [] }],
      ['chapters[0].startTime', { splitMode: 'chapters', chapters: [{ title: 'x' }] }],
      [
        'chapters[1].startTime',
        { splitMode: 'chapters', chapters: [{ startTime: 1 }, { startTime: '1:2' }] },
      ],
      ['chapters[0].title', { splitMode: 'chapters', chapters: [{ startTime: 1, title: 'x'.repeat(501) }] }],
      ['ranges', { splitMode: 'ranges', ranges: [] }],
      ['ranges[1].end', { splitMode: 'ranges', ranges: [{ start: 0 }, { start: 0, end: null }] }],
      ['ranges[0].start', { splitMode: 'ranges', ranges: [{ start: 1_000_001 }] }],
      ['splitPoints[1]', { splitMode: 'ranges', splitPoints: [1, '2'] }],
      ['snapToSilence.window', { ...DURATION, snapToSilence: {} }],
      ['snapToSilence.window', { ...DURATION, snapToSilence: { window: 60.1 } }],
      ['trim', { ...DURATION, trim: {} }],
      ['trim.start', { ...DURATION, trim: { start: -1 } }],
      ['audioTrack', { ...DURATION, audioTrack: 1.5 }],
      ['audioTrack', { ...DURATION, audioTrack: 'english' }],
      ['encoding', { ...DURATION, encoding: {} }],
      ['encoding.channels', { ...DURATION, encoding: { channels: 3 } }],
      ['encoding.bitDepth', { ...DURATION, encoding: { bitDepth: 20 } }],
      ['encoding.loudness.target', { ...DURATION, encoding: { loudness: { target: -8 } } }],
      ['encoding.loudness.target', { ...DURATION, encoding: { loudness: {} } }],
      ['encoding.quality', { ...DURATION, encoding: { quality: 5 } }],
      ['preset', { ...DURATION, preset: 'music' }],
      ['fileName', { ...DURATION, fileName: '' }],
      ['fileName', { ...DURATION, fileName: 'x'.repeat(501) }],
      ['dryRun', { ...DURATION, dryRun: 'yes' }],
    ];
    for (const [field, cut] of cases) await refuse(field, cut);
  });

  // Covers C-1.3 C-5.7 C-6.2
  test('a field that the mode does not accept is rejected', async () => {
    const cases: readonly (readonly [field: string, cut: object])[] = [
      ['parts', { ...DURATION, parts: 2 }],
      ['silence', { ...DURATION, silence: {} }],
      ['segmentDuration', { splitMode: 'silence', segmentDuration: 60 }],
      ['chapters', { splitMode: 'parts', parts: 2, chapters: [{ startTime: 0 }] }],
      ['trim', { ...RANGES, trim: { start: 1 } }],
      ['overlap', { ...RANGES, overlap: 0 }],
      ['overlap', { splitMode: 'chapters', overlap: 1 }],
      ['ranges', { splitMode: 'chapters', ranges: [{ start: 0 }] }],
    ];
    for (const [field, cut] of cases) await refuse(field, cut);
  });

  // Covers C-1.4
  test('every violation is reported, up to a hundred', async () => {
    const fieldsOf = async (cut: object) => {
      const { details } = await expectError(await post(cut), 'INVALID_PARAMS');
      return details.map(({ field }) => field);
    };
    assert.deepEqual(
      await fieldsOf({ splitMode: 'ranges', ranges: [{ start: 5, end: 2 }], overlap: 1, fileName: '{' }),
      ['overlap', 'ranges[0].end', 'fileName'],
    );
    assert.deepEqual(
      await fieldsOf({ splitMode: 'duration', parts: 2, overlap: 4, maxDuration: 8, trim: { end: 0 } }),
      ['segmentDuration', 'parts', 'trim.end', 'overlap'],
    );
    const points = Array.from({ length: 9_999 }, () => 0);
    assert.equal((await fieldsOf({ splitMode: 'ranges', splitPoints: points })).length, 100);
  });

  // Covers C-2.15 C-2.30 C-2.31 C-2.33 C-3.12 C-4.2 C-4.3 C-5.5 C-5.7 C-6.1 C-7.16 C-8.4
  test('contradictory fields are rejected', async () => {
    const cases: readonly (readonly [field: string, cut: object])[] = [
      ['ranges', { splitMode: 'ranges' }],
      ['splitPoints', { ...RANGES, splitPoints: [1] }],
      ['ranges[1].end', { splitMode: 'ranges', ranges: [{ start: 9 }, { start: 1, end: 1.0004 }] }],
      ['splitPoints[0]', { splitMode: 'ranges', splitPoints: [0.0004] }],
      ['splitPoints[2]', { splitMode: 'ranges', splitPoints: [1, 2, '0:02'] }],
      ['chapters[1].startTime', { splitMode: 'chapters', chapters: [{ startTime: 2 }, { startTime: 1 }] }],
      ['trim.end', { ...DURATION, trim: { start: 5, end: 5 } }],
      ['trim.end', { ...DURATION, trim: { end: 0 } }],
      ['snapToSilence', { splitMode: 'silence', snapToSilence: WINDOW }],
      ['snapToSilence', { splitMode: 'chapters', snapToSilence: WINDOW }],
      ['snapToSilence', { ...RANGES, snapToSilence: WINDOW }],
      ['snapToSilence.minSilence', { ...DURATION, snapToSilence: { window: 1, minSilence: 1.1 } }],
      ['overlap', { ...DURATION, overlap: 30 }],
      ['overlap', { splitMode: 'parts', parts: 2, maxDuration: 10, overlap: 5 }],
      ['overlap', { splitMode: 'parts', parts: 2, trim: { start: 10, end: 20 }, overlap: 2.5 }],
      ['trim.end', { splitMode: 'parts', parts: 2, trim: { start: 10, end: 10 }, overlap: 1 }],
      ['overlap', { splitMode: 'silence', silence: { keepSilence: 0 }, overlap: 1 }],
      ['maxDuration', { splitMode: 'silence', silence: { minDuration: 10 }, maxDuration: 9 }],
      ['encoding.bitDepth', { ...DURATION, outputFormat: 'mp3', encoding: { bitDepth: 16 } }],
      ['encoding.sampleRate', { ...DURATION, outputFormat: 'aac', encoding: { sampleRate: 44_101 } }],
      ['encoding.bitrate', { ...DURATION, outputFormat: 'flac', encoding: { bitrate: 64_000 } }],
      ['encoding.bitrate', { ...DURATION, preset: 'speech', encoding: { bitrate: 320_000 } }],
      [
        'encoding.bitrate',
        { ...DURATION, outputFormat: 'ogg', encoding: { sampleRate: 8_000, channels: 2, bitrate: 96_000 } },
      ],
      ['encoding.bitrate', { ...DURATION, outputFormat: 'ogg', encoding: { channels: 1, bitrate: 300_000 } }],
      [
        'encoding.bitrate',
        { ...DURATION, preset: 'speech', outputFormat: 'ogg', encoding: { bitrate: 128_000 } },
      ],
      ['encoding.bitDepth', { ...DURATION, preset: 'speech', encoding: { bitDepth: 16 } }],
      ['fileName', { ...DURATION, fileName: '{number' }],
      ['fileName', { ...DURATION, fileName: 'a}b' }],
      ['fileName', { ...DURATION, fileName: '{chapter}' }],
      ['fileName', { ...DURATION, fileName: '{{number}}' }],
    ];
    for (const [field, cut] of cases) await refuse(field, cut);
  });

  // Covers C-3.3 C-4.2 C-4.3
  test('a cap allows snapping in every mode', async () => {
    for (const cut of [{ splitMode: 'silence' }, { splitMode: 'chapters' }, RANGES]) {
      await accept({ ...cut, maxDuration: 60, snapToSilence: WINDOW });
      await accept({ ...cut, maxFileSize: 65_536, snapToSilence: WINDOW });
    }
    await accept({ splitMode: 'parts', parts: 2, snapToSilence: { window: 1, minSilence: 1 } });
    await accept({ ...DURATION, overlap: 29.999 });
  });

  test('text that cannot be stored is rejected at any depth', async () => {
    for (const title of ['a\u0000b', 'a\ud800']) {
      await refuse('ranges', { splitMode: 'ranges', ranges: [{ start: 0, title }] });
    }
  });

  // Covers C-2.15
  test('9,999 chapters fit into a body, other bodies end at 256 KiB', async () => {
    const chapters = Array.from({ length: 9_999 }, (_, n) => ({
      startTime: n,
      title: `Chapter ${n} of a long book`,
    }));
    assert.ok(JSON.stringify(chapters).length > 256 * 1024);
    assert.equal((await accept({ splitMode: 'chapters', chapters })).chapters?.length, 9_999);
    await refuse('chapters', { splitMode: 'chapters', chapters: [...chapters, { startTime: 9_999 }] });
    const response = await post({ ...DURATION, metadata: { text: 'x'.repeat(256 * 1024) } });
    await expectError(response, 'PAYLOAD_TOO_LARGE');
    const large = await post({
      splitMode: 'chapters',
      chapters,
      metadata: { text: 'x'.repeat(1024 * 1024) },
    });
    await expectError(large, 'PAYLOAD_TOO_LARGE');
  });

  test('9,999 chapters may have titles of 60 bytes, 1,900 may have titles of 500', async () => {
    const titled = (count: number, titleLength: number) =>
      Array.from({ length: count }, (_, n) => ({
        startTime: 100_000.123 + n,
        title: 'x'.repeat(titleLength),
      }));
    for (const [count, titleLength] of [
      [9_999, 60],
      [1_900, 500],
    ] as const) {
      await accept({ splitMode: 'chapters', chapters: titled(count, titleLength) });
    }
    const response = await post({ splitMode: 'chapters', chapters: titled(9_999, 500) });
    const { message } = await expectError(response, 'PAYLOAD_TOO_LARGE');
    assert.match(message, /1 MiB .* 9,999 chapters with titles of 60 bytes/);
  });

  test('the entries of a list that is far too long are not checked', async () => {
    // Each would be a separate violation.
    for (const [field, entry] of [
      ['splitPoints', ''],
      ['ranges', null],
      ['chapters', 0],
    ] as const) {
      const response = await post({
        splitMode: 'ranges',
        [field]: Array.from({ length: 200_000 }, () => entry),
      });
      const { details } = await expectError(response, 'INVALID_PARAMS');
      assert.deepEqual(
        details.map((detail) => detail.field),
        [field],
      );
    }
  });

  const cut: CutFields = {
    splitMode: 'ranges',
    ranges: [{ start: 1.5, end: 2, title: 'One' }],
    maxDuration: 60,
    maxFileSize: 65_536,
    audioTrack: 1,
    encoding: { loudness: { target: -16 } },
    dryRun: true,
  };
  const segment = {
    index: 0,
    fileName: 'One.mp3',
    startMs: 1_000n,
    contentStartMs: 1_500n,
    durationMs: 1_500n,
    sizeBytes: 9n,
    endKind: 'range',
    title: 'One',
  };

  // Covers C-5.3 C-7.14 C-7.15 C-8.9 C-9.3 C-9.4 C-10.1
  test('a completed job shows its cut, its loudness, and the details of its segments', async () => {
    stored = {
      ...completed,
      request: { cut: fromCutFields(cut) },
      loudness: { measuredLufs: -20.5, gainDb: 4.5, truePeakDbtp: -1 },
      segments: [
        { ...segment, objectKey: '', sizeIsEstimate: true },
        { ...segment, objectKey: 'jobs/job_1/1/0.mp3', endKind: 'of a newer splitter' },
      ],
    };
    const read = async () => readJson<CompletedJob>(await gateway.call('/api/v1/splits/job_1', { apiKey }));
    const job = await read();
    for (const [name, value] of Object.entries(cut)) assert.deepEqual(Object(job)[name], value, name);
    assert.deepEqual(job.loudness, { measured: -20.5, gain: 4.5, truePeak: -1 });
    const [planned, made] = job.segments;
    const facts = { startTime: 1, contentStart: 1.5, endTime: 2.5, duration: 2, title: 'One' };
    assert.deepEqual(planned, {
      index: 0,
      ...facts,
      cut: 'range',
      fileName: 'One.mp3',
      size: 9,
      sizeIsEstimate: true,
    });
    const { downloadUrl = '', expiresAt = '', ...rest } = made ?? {};
    assert.deepEqual(rest, { index: 0, ...facts, fileName: 'One.mp3', size: 9 });
    assert.ok(downloadUrl.includes('/downloads/jobs/job_1/1/0.mp3') && Date.parse(expiresAt) > 0);

    assert.equal(job.sourceDurationIsEstimate, undefined);

    stored = { ...stored, loudness: { gainDb: 0 }, sourceDurationIsEstimate: true };
    const other = await read();
    assert.deepEqual(other.loudness, { measured: null, gain: 0, truePeak: null });
    assert.equal(other.sourceDurationIsEstimate, true);
  });

  // Covers C-10.2
  test('a row of a list has the mode and plain numbers', async () => {
    stored = { ...completed, request: { cut: fromCutFields(cut) } };
    const list = await readJson<{ data: object[] }>(await gateway.call('/api/v1/splits', { apiKey }));
    const { splitMode, maxDuration, maxFileSize, audioTrack, ...row } = Object(list.data[0]);
    assert.deepEqual([splitMode, maxDuration, maxFileSize, audioTrack], ['ranges', 60, 65_536, 1]);
    for (const name of ['ranges', 'encoding', 'dryRun']) assert.equal(name in row, false, name);
  });
});
