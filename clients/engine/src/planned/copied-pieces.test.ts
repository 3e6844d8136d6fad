import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { assertSound as assertFlac, readFlac } from '../copy/flac/testing/flac-streams.ts';
import { decodeFile, decodeFiles } from '../copy/testing/ffmpeg.ts';
import { readAllTags } from '../copy/testing/read-tags.ts';
import type { FinishedSegment } from '../media.ts';
import { sound } from '../testing/audio-samples.ts';
import { failsWith } from '../testing/fails-with.ts';
import {
  COPIED,
  CUT_BETWEEN_PACKETS,
  createPlannedSamples,
  type PlannedSamples,
  RANGES,
  SECONDS,
  splitByRequest,
  timesOf,
} from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(Object.keys({ ...COPIED, ...CUT_BETWEEN_PACKETS })));
const split: PlannedSamples['split'] = (...args) => fixture.split(...args);

/** Each segment contains the source's audio at its position. */
async function assertSound(name: string, segments: readonly FinishedSegment[]): Promise<void> {
  const demuxer = name === 'opus' ? ['-c:a', 'libopus'] : [];
  const { path: dir } = { path: fixture.samples.dir };
  const sourcePath = `${dir}/whole.${name}`;
  await writeFile(sourcePath, fixture.sourceOf(name));
  const whole = new Int16Array((await decodeFile(sourcePath, 's16le', demuxer)).buffer.slice(0));
  const decoded = await decodeFiles(
    segments.map(({ path }) => path),
    's16le',
    demuxer,
  );
  for (const [position, segment] of segments.entries()) {
    const own = decoded[position] ?? Buffer.alloc(0);
    const pcm = new Int16Array(own.buffer, own.byteOffset, own.length / 2);
    assert.ok(
      Math.abs(pcm.length / 2 - segment.sampleCount) <= (name === 'm4a' ? 1_024 : 0),
      `${pcm.length / 2} samples`,
    );
    let difference = 0;
    let energy = 0;
    for (let at = 0; at < Math.min(pcm.length, 2 * segment.sampleCount); at++) {
      const expected = whole[2 * segment.startSample + at] ?? 0;
      difference += (expected - (pcm[at] ?? 0)) ** 2;
      energy += expected ** 2;
    }
    const noiseDb = 10 * Math.log10((difference + 1) / (energy + 1));
    assert.ok(noiseDb < -45, `segment ${segment.index} of ${name}: ${noiseDb} dB`);
  }
}

test('copied flac states the MD5 of its sound if requested, and other formats have none', async () => {
  const request = { splitMode: 'duration', segmentDuration: 9 } as const;
  const md5Of = async ({ path }: FinishedSegment) => (await readFile(path)).toString('hex', 26, 42);
  await using plain = await split('flac', request);
  await using stated = await split('flac', { ...request, encoding: { md5: true } });
  for (const [index, segment] of stated.segments.entries()) {
    assertFlac(await readFlac(await readFile(segment.path)));
    const unstated = plain.segments[index];
    assert.ok(unstated);
    assert.equal(await md5Of(unstated), '0'.repeat(32));
    assert.notEqual(await md5Of(segment), '0'.repeat(32));
    assert.deepEqual(await decodeFile(unstated.path, 's16le'), await decodeFile(segment.path, 's16le'));
  }
  await assert.rejects(
    split('mp3', { ...request, encoding: { md5: true } }),
    failsWith('ENCODING_UNSUPPORTED'),
  );
});

describe('copies', () => {
  for (const name of Object.keys(COPIED)) {
    // Covers C-2.32 C-2.38 C-4.18 C-4.19 C-8.9
    test(`${name}: ranges in any order, with gaps and overlaps`, async () => {
      await using done = await split(name, RANGES);
      assert.deepEqual(timesOf(done.segments), [
        [15.5, 19.25],
        [0, 5],
        [4.2, 9.1],
        [20, SECONDS],
      ]);
      assert.deepEqual(
        done.segments.map(({ endKind }) => endKind),
        ['range', 'range', 'range', 'end'],
      );
      assert.deepEqual(
        done.segments.map(({ title }) => title),
        ['Late', undefined, 'Over', undefined],
      );
      assert.equal(done.result.meteredSampleCount, 18 * done.result.sourceSampleRateHz);
      await assertSound(name, done.segments);
    });
  }

  for (const name of Object.keys(CUT_BETWEEN_PACKETS)) {
    test(`${name}: ranges, to the packet`, async () => {
      await using done = await split(name, RANGES);
      const planned = [
        [15.5, 19.25],
        [0, 5],
        [4.2, 9.1],
        [20, SECONDS],
      ];
      for (const [index, times] of timesOf(done.segments).entries()) {
        for (const [n, time] of times.entries()) {
          assert.ok(Math.abs(time - (planned[index]?.[n] ?? -1)) < 0.08, `${time} s`);
        }
      }
    });
  }

  // Covers C-2.38
  test('the segments of a plain cut equal those of the same cut with an option that has no effect', async () => {
    for (const name of ['mp3', 'flac', 'opus']) {
      await using plain = await splitByRequest(
        fixture.sourceOf(name),
        { splitMode: 'duration', segmentDuration: 7, trim: { start: 0 } },
        { ffmpegPath: fixture.samples.ffmpegPath },
      );
      await using cut = await splitByRequest(
        fixture.sourceOf(name),
        { splitMode: 'duration', segmentDuration: 7 },
        { ffmpegPath: fixture.samples.ffmpegPath, cut: { mode: 'duration', segmentDurationSeconds: 7 } },
      );
      assert.deepEqual(timesOf(plain.segments), timesOf(cut.segments));
    }
  });

  // Covers C-5.2 C-5.4 C-10.8
  test('with overlap files begin before their cuts', async () => {
    await using done = await split('mp3', { splitMode: 'parts', parts: 3, overlap: 1.5 });
    assert.deepEqual(timesOf(done.segments), [
      [0, 0, 8],
      [6.5, 8, 16],
      [14.5, 16, 24],
    ]);
    assert.equal(done.result.meteredSampleCount, SECONDS * 44_100);
    await assertSound('mp3', done.segments);
  });

  // Covers C-3.4 C-3.5 C-3.6
  test('two caps at once: none is exceeded, nothing is lost', async () => {
    for (const name of ['mp3', 'flac', 'm4a', 'ogg', 'opus', 'wav']) {
      const maxFileSize = name === 'wav' || name === 'flac' ? 900_000 : 65_536;
      const request: CutRequest = { splitMode: 'duration', segmentDuration: 10, maxDuration: 7, maxFileSize };
      await using done = await split(name, request);
      let end = 0;
      for (const segment of done.segments) {
        assert.equal(segment.startSample, end);
        end += segment.sampleCount;
        assert.ok(segment.sampleCount <= 7.1 * segment.sampleRateHz);
        assert.equal((await readFile(segment.path)).length, segment.sizeBytes);
        assert.ok(segment.sizeBytes <= maxFileSize, `${name}: ${segment.sizeBytes}`);
      }
      assert.equal(end, done.result.sourceSampleCount);
    }
  });

  // Covers C-3.5
  test('a ceiling of bytes includes titles and overlap', async () => {
    const titles = ['x'.repeat(500), '日'.repeat(500)];
    const chapters = titles.map((title, index) => ({ startTime: 12 * index, title }));
    for (const name of ['mp3', 'flac', 'm4a', 'ogg', 'opus', 'wav']) {
      const maxFileSize = name === 'wav' || name === 'flac' ? 900_000 : 65_536;
      for (const request of [
        { splitMode: 'chapters', chapters, maxFileSize },
        { splitMode: 'parts', parts: 2, overlap: 1, maxFileSize },
      ] satisfies CutRequest[]) {
        await using done = await split(name, request);
        assert.ok(done.segments.length > 2, name);
        for (const { path, sizeBytes } of done.segments) {
          assert.equal((await readFile(path)).length, sizeBytes);
          assert.ok(sizeBytes <= maxFileSize, `${name} ${request.splitMode}: ${sizeBytes}`);
        }
      }
    }
  });

  // Covers C-2.5
  test('small ceilings are filled also where the sound changes', async () => {
    const loud = '0.4*sin(2*PI*300*t)+0.3*(random(0)-0.5)';
    const changing = `aevalsrc=(0.02+0.6*gt(mod(t\\,7.3)\\,3.5))*(${loud}):s=48000:d=45`;
    const original = `amovie=${await fixture.samples.make('changing.wav', changing)}`;
    for (const [name, encode] of [
      ['changing.mp3', ['-q:a', '4']],
      ['changing.flac', []],
      ['changing.ogg', ['-c:a', 'libvorbis', '-q:a', '4']],
      ['changing.m4a', ['-b:a', '96k']],
      ['changing.opus', ['-b:a', '64k']],
    ] as const) {
      const source = await readFile(await fixture.samples.make(name, original, ...encode));
      const maxFileSize = Math.floor(source.length / 8);
      const request: CutRequest = { splitMode: 'fileSize', maxFileSize, overlap: 0.5 };
      await using done = await splitByRequest(source, request, fixture.samples);
      assert.ok(
        done.segments.every(({ sizeBytes }) => sizeBytes <= maxFileSize),
        name,
      );
      const filled = done.segments.slice(0, -1).map(({ sizeBytes }) => sizeBytes / maxFileSize);
      assert.ok(Math.min(...filled) > 0.96, `${name}: ${filled}`);
    }
  });

  // Covers C-2.5
  test('a file of exactly the allowed size, although its start is cut off', async () => {
    for (const name of ['mp3', 'opus', 'm4a']) {
      await using done = await split(name, {
        splitMode: 'fileSize',
        maxFileSize: 100_000,
        trim: { start: 1, end: 20 },
      });
      for (const { sizeBytes } of done.segments.slice(0, -1)) {
        assert.ok(sizeBytes <= 100_000 && sizeBytes > 95_000, `${name}: ${sizeBytes}`);
      }
    }
  });
});

// Covers C-9.1 C-9.2
test('a dry run reports what the run writes, to the byte', async () => {
  for (const name of ['mp3', 'flac', 'ogg', 'm4a', 'wav']) {
    const request: CutRequest = {
      splitMode: 'duration',
      segmentDuration: 5,
      trim: { start: 2.5 },
      overlap: 1,
    };
    await using dry = await split(name, { ...request, dryRun: true });
    await using done = await split(name, request);
    const visible = (segments: readonly FinishedSegment[]) =>
      segments.map(({ path: _, dryRun: __, ...rest }) => rest);
    assert.deepEqual(visible(dry.segments), visible(done.segments));
    assert.ok(dry.segments.every(({ path, dryRun }) => path === '' && dryRun?.isExactSize));
  }
});

// Covers C-8.12 C-9.2
test('a dry run counts tags and a cover, which every segment keeps', async () => {
  const picture = await fixture.samples.make('cover.png', 'color=red:s=16x16:d=1', '-frames:v', '1');
  const cover = await readFile(picture);
  const attached = [
    '-i',
    picture,
    '-map',
    '0',
    '-map',
    '1',
    '-c:v',
    'copy',
    '-disposition:v',
    'attached_pic',
  ];
  const chapters = [{ startTime: 0, title: 'Öne' }, { startTime: 5 }];
  const { ffmpegPath } = fixture.samples;
  for (const name of ['covered.mp3', 'covered.flac']) {
    const tags = ['-metadata', 'title=Talk', '-metadata', 'artist=Ä'];
    const path = await fixture.samples.make(name, sound(44_100, 9, 'stereo'), ...attached, ...tags);
    const source = await readFile(path);
    const request = { splitMode: 'chapters', chapters } as const;
    await using dry = await splitByRequest(source, { ...request, dryRun: true }, { ffmpegPath });
    await using done = await splitByRequest(source, request, { ffmpegPath });
    const files = await Promise.all(done.segments.map(({ path: own }) => readFile(own)));
    assert.deepEqual(
      dry.segments.map(({ sizeBytes }) => sizeBytes),
      files.map(({ length }) => length),
    );
    for (const file of files) assert.ok(file.includes(cover), name);
    const [one, two] = await readAllTags(files, done.segments[0]?.extension ?? '');
    assert.deepEqual([one?.get('title'), two?.get('title')], ['Öne', 'Talk (2)']);
    assert.deepEqual([one?.get('artist'), two?.get('artist')], ['Ä', 'Ä']);
  }
});

// Covers C-10.8
test('a split beyond the quota is rejected before anything is written', async () => {
  const request: CutRequest = {
    splitMode: 'ranges',
    ranges: [
      { start: 1, end: 6 },
      { start: 10, end: 15.2 },
    ],
  };
  await using allowed = await split('mp3', request, { maxSourceDurationMs: 11_000 });
  assert.equal(allowed.segments.length, 2);
  await assert.rejects(split('mp3', request, { maxSourceDurationMs: 10_000 }), {
    failure: 'QUOTA_EXCEEDED',
    message: 'The segments together are longer than the minutes left in this period.',
  });
});
