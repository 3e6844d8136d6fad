import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { InvalidCutsError } from '@audiosplit/cuts/invalid-cuts';
import type { Cuts } from '@audiosplit/cuts/read-cuts';
import { SetupError } from '../setup-error.ts';
import { failsWith } from '../testing/fails-with.ts';
import { startSplit } from '../testing/split-run.ts';
import { FileExistsError } from './file-exists-error.ts';
import { plan } from './plan.ts';
import type { PlannedSegment } from './segment.ts';
import { type SplitOptions, split } from './split.ts';

const SOURCES = join(import.meta.dirname, '../../suites/golden/sources');
const MP3 = join(SOURCES, 'mp3-mpeg-1-cbr.mp3');
const ONE_SECOND: Cuts = { splitMode: 'duration', segmentDuration: 1 };
const NO_FFMPEG = { ffmpegPath: '/nowhere/ffmpeg' };

const dir = forSuite(() => mkdtempDisposable(join(tmpdir(), 'split-test-')));
let count = 0;

function folder(): string {
  count += 1;
  return join(dir.path, `to-${count}`);
}

async function all(source: Parameters<typeof split>[0], cuts: Cuts, options: Partial<SplitOptions> = {}) {
  const segments = [];
  const to = options.to ?? folder();
  for await (const segment of split(source, cuts, { ...options, to })) segments.push(segment);
  return { to, segments };
}

const described = ({ index, fileName, startTime, endTime, duration, size, cut, title }: PlannedSegment) => ({
  index,
  fileName,
  startTime,
  endTime,
  duration,
  size,
  cut,
  title,
});

describe('split', () => {
  test('yields each segment with its complete file, under its final name', async () => {
    const to = folder();
    let end = 0;
    for await (const segment of split(MP3, ONE_SECOND, { to })) {
      assert.equal(segment.path, join(to, segment.fileName));
      assert.equal((await stat(segment.path)).size, segment.size);
      assert.equal(segment.startTime, end);
      end = segment.endTime;
    }
    const names = await readdir(to);
    assert.ok(names.length > 1);
    assert.deepEqual(
      names,
      names.map((_, index) => `mp3-mpeg-1-cbr-00${index}.mp3`),
    );
  });

  test('returns the details of the whole source', async () => {
    const segments = split(MP3, ONE_SECOND, { to: folder() });
    let step = await segments.next();
    let last: PlannedSegment | undefined;
    while (step.done !== true) {
      last = step.value;
      step = await segments.next();
    }
    const { outputFormat, segmentCount, sourceDuration, sourceSize } = step.value;
    assert.equal(outputFormat, 'mp3');
    assert.equal(segmentCount, (last?.index ?? 0) + 1);
    assert.equal(sourceDuration, last?.endTime);
    assert.equal(sourceSize, (await stat(MP3)).size);
    assert.equal(last?.cut, 'end');
  });

  test('creates the same files as the splitter for the same request', async () => {
    const cut = { mode: 'duration', segmentDurationSeconds: 1 } as const;
    const { segments } = await all(MP3, ONE_SECOND);
    await using there = await startSplit(await readFile(MP3), { cut, ffmpegPath: '/nowhere/ffmpeg' });
    await there.outcome;
    for (const [index, { path }] of segments.entries()) {
      assert.deepEqual(await readFile(path), await readFile(there.segments[index]?.path ?? ''));
    }
  });

  for (const name of [
    'mp3-mpeg-1-cbr.mp3',
    'wav-16-bit.wav',
    'flac-16-bit.flac',
    'ogg-vorbis.ogg',
    'ogg-opus.opus',
    'adts.aac',
    'm4a-index-first.m4a',
  ]) {
    test(`copies ${name} without an ffmpeg`, async () => {
      const { segments } = await all(join(SOURCES, name), ONE_SECOND, NO_FFMPEG);
      assert.ok(segments.length > 0);
    });
  }

  test('reports that it needs an ffmpeg if it has none and must encode', async () => {
    const encoded = all(MP3, { ...ONE_SECOND, outputFormat: 'flac' }, NO_FFMPEG);
    await assert.rejects(
      encoded,
      (error) => error instanceof SetupError && /^FFMPEG_PATH/.test(error.message),
    );
  });

  test('encodes with the packaged ffmpeg', async () => {
    const { segments } = await all(MP3, { ...ONE_SECOND, outputFormat: 'flac', fileName: '{number}' });
    assert.equal(segments[0]?.fileName, '1.flac');
  });

  test('accepts a stream, with its name from the options', async () => {
    const { segments } = await all(createReadStream(MP3), ONE_SECOND, { name: 'talk.mp3' });
    assert.equal(segments[0]?.fileName, 'talk-000.mp3');
  });

  test('overwrites nothing unless it is allowed to', async () => {
    const { to, segments } = await all(MP3, ONE_SECOND);
    const [{ path } = { path: '' }] = segments;
    await writeFile(path, 'mine');
    await assert.rejects(all(MP3, ONE_SECOND, { to }), (error) => error instanceof FileExistsError);
    assert.equal(await readFile(path, 'utf8'), 'mine');
    await all(MP3, ONE_SECOND, { to, overwrite: true });
    assert.notEqual(await readFile(path, 'utf8'), 'mine');
    assert.equal((await readdir(to)).length, segments.length);
  });

  test('keeps complete segments if the loop ends early', async () => {
    const to = folder();
    for await (const segment of split(MP3, ONE_SECOND, { to })) {
      assert.equal((await stat(segment.path)).size, segment.size);
      break;
    }
    assert.deepEqual(
      (await readdir(to)).filter((name) => !/^mp3-mpeg-1-cbr-\d{3}\.mp3$/.test(name)),
      [],
    );
  });

  test('leaves no file and no folder if it is aborted before a segment is complete', async () => {
    const to = folder();
    const aborting = new AbortController();
    const source = (async function* () {
      yield (await readFile(MP3)).subarray(0, 2_000);
      aborting.abort(new Error('enough'));
      await new Promise(() => undefined);
    })();
    await assert.rejects(all(source, ONE_SECOND, { to, signal: aborting.signal }), /enough/);
    await assert.rejects(stat(to));
  });

  test('rejects the same requests as the API, with the path of the field', async () => {
    const cuts = { splitMode: 'ranges', ranges: [{ start: '1:00', end: 30 }] } as const;
    await assert.rejects(all(MP3, cuts), (error) => {
      assert.ok(error instanceof InvalidCutsError);
      assert.deepEqual(error.details, [
        { field: 'ranges[0].end', message: 'must be above the start of its range' },
      ]);
      return true;
    });
  });

  // Covers C-2.42
  test('reports what a source does not support with the code of the API', async () => {
    const beyond = all(MP3, { splitMode: 'ranges', ranges: [{ start: '10:00' }] });
    await assert.rejects(beyond, failsWith('RANGE_OUTSIDE_SOURCE'));
  });
});

describe('plan', () => {
  // Covers C-9.1 C-9.2
  test('returns the times, names and sizes of a split, and writes nothing', async () => {
    const cuts: Cuts = {
      splitMode: 'ranges',
      ranges: [{ start: 0, end: '0:01', title: 'One' }, { start: 1 }],
      fileName: '{number} of {count} {title}',
    };
    const planned = await plan(MP3, cuts);
    const { segments } = await all(MP3, cuts);
    assert.deepEqual(planned.segments.map(described), segments.map(described));
    assert.equal(segments[0]?.fileName, '1 of 2 One.mp3');
  });

  test('needs no ffmpeg if the copy needs none', async () => {
    const planned = await plan(MP3, ONE_SECOND, NO_FFMPEG);
    const { segments } = await all(MP3, ONE_SECOND, NO_FFMPEG);
    assert.deepEqual(
      planned.segments.map(({ fileName, endTime, cut }) => ({ fileName, endTime, cut })),
      segments.map(({ fileName, endTime, cut }) => ({ fileName, endTime, cut })),
    );
  });
});
