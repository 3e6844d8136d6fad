import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { readAllTags } from '../copy/testing/read-tags.ts';
import { sound } from '../testing/audio-samples.ts';
import { failsWith } from '../testing/fails-with.ts';
import { createPlannedSamples, type PlannedSamples, splitByRequest, timesOf } from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(['mp3']));
const split: PlannedSamples['split'] = (...args) => fixture.split(...args);

describe('cuts by the sound', () => {
  // Covers C-4.4 C-4.8 C-4.17 C-4.21
  test('cuts move back into silences, never forward, and copies stay copies', async () => {
    const gaps = 'if(between(mod(t,7),5.6,6.2),0,0.4*sin(2*PI*300*t)+0.1*(random(0)-0.5))';
    const path = await fixture.samples.make(
      'gaps.wav',
      `aevalsrc=${gaps.replaceAll(',', '\\,')}:s=44100:d=28`,
      '-c:a',
      'pcm_s16le',
    );
    for (const [name, ...args] of [
      ['gaps.mp3', '-b:a', '128k'],
      ['gaps.flac'],
      ['gaps.ogg', '-c:a', 'libvorbis'],
      ['gaps.aac', '-c:a', 'aac'],
      ['gaps.m4a'],
      ['gaps.opus', '-b:a', '64k'],
    ] as const) {
      const coded = await fixture.samples.make(name, 'anullsrc', '-i', path, '-map', '1:a', ...args);
      const source = await readFile(coded);
      await using done = await splitByRequest(
        source,
        { splitMode: 'parts', parts: 4, snapToSilence: { window: 3 } },
        { ffmpegPath: fixture.samples.ffmpegPath },
      );
      const ends = timesOf(done.segments)
        .slice(0, -1)
        .map((times) => times.at(-1) ?? 0);
      for (const [index, end] of ends.entries()) {
        const middle = 5.9 + 7 * index;
        assert.ok(Math.abs(end - middle) < 0.06, `${name}: cut ${index} at ${end}`);
      }
      assert.deepEqual(
        done.segments.map(({ endKind }) => endKind),
        ['silence', 'silence', 'silence', 'end'],
      );
      const splitPoints = done.segments
        .slice(0, -1)
        .map(({ startSample, sampleCount, sampleRateHz }) => (startSample + sampleCount) / sampleRateHz);
      // Without a decoder everything is copied.
      const settings = { ffmpegPath: '/nonexistent/ffmpeg' };
      await using copied = await splitByRequest(source, { splitMode: 'ranges', splitPoints }, settings);
      for (const [index, { path: own }] of done.segments.entries())
        assert.ok((await readFile(own)).equals(await readFile(copied.segments[index]?.path ?? '')), name);
    }
  });

  // Covers C-4.11 C-4.17
  test('without a silence a cut moves to the quietest place, and says so', async () => {
    const sound = 'aevalsrc=if(between(t\\,3.5\\,3.62)\\,0.1\\,0.4)*sin(2*PI*300*t):s=16000:d=10';
    const path = await fixture.samples.make('dip.wav', sound, '-c:a', 'pcm_s16le');
    const request: CutRequest = { splitMode: 'parts', parts: 2, snapToSilence: { window: 3 } };
    const { ffmpegPath } = fixture.samples;
    await using done = await splitByRequest(await readFile(path), request, { ffmpegPath });
    const [[, end = 0] = []] = timesOf(done.segments);
    assert.ok(Math.abs(end - 3.56) < 0.02, `${end} s`);
    assert.deepEqual(
      done.segments.map(({ endKind }) => endKind),
      ['quietest', 'end'],
    );
  });

  // Covers C-4.15
  test('mode silence finds its threshold in what is split only', async () => {
    // Ten seconds without any sound, then a tone whose pauses have some noise.
    const level = 'if(lt(t,10),0,if(between(mod(t,5),4,5),0.008,0.4))'.replaceAll(',', '\\,');
    const path = await fixture.samples.make('hiss.wav', `aevalsrc=${level}*sin(2*PI*300*t):s=16000:d=30`);
    const request: CutRequest = { splitMode: 'silence', trim: { start: 10, end: 24 } };
    const { ffmpegPath } = fixture.samples;
    await using done = await splitByRequest(await readFile(path), request, { ffmpegPath });
    const ends = timesOf(done.segments).map(([, end = 0]) => Math.round(end * 10) / 10);
    assert.deepEqual(ends, [14.5, 19.5, 24]);
  });

  // Covers C-2.6 C-2.11 C-6.3
  test('mode silence cuts in the middle of each silence', async () => {
    const path = await fixture.samples.make(
      'pauses.wav',
      'aevalsrc=if(between(mod(t\\,5)\\,4\\,5)\\,0\\,0.4*sin(2*PI*300*t)):s=16000:d=14.5',
      '-c:a',
      'pcm_s16le',
    );
    const source = await readFile(path);
    const run = async (request: CutRequest) => {
      await using done = await splitByRequest(source, request, { ffmpegPath: fixture.samples.ffmpegPath });
      return timesOf(done.segments);
    };
    const near = (actual: number[][], expected: number[][]) => {
      assert.equal(actual.length, expected.length);
      for (const [index, times] of expected.entries()) {
        for (const [n, time] of times.entries())
          assert.ok(Math.abs((actual[index]?.[n] ?? -1) - time) < 0.02, `${actual}`);
      }
    };
    near(await run({ splitMode: 'silence' }), [
      [0, 4.5],
      [4.5, 9.5],
      [9.5, 14.5],
    ]);
    near(await run({ splitMode: 'silence', silence: { keepSilence: 0.1 } }), [
      [0, 4.1],
      [4.9, 9.1],
      [9.9, 14.1],
    ]);
  });
});

describe('cuts by chapters', () => {
  // Covers C-2.18 C-2.19 C-4.18 C-8.9 C-8.10
  test('the source’s own chapters are used as found, unless others are given', async () => {
    const list = `${fixture.samples.dir}/chapters.txt`;
    await writeFile(
      list,
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=4000\ntitle=Intro\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=4000\nEND=12000\ntitle=Talk\n',
    );
    const path = await fixture.samples.make(
      'chapters.mp3',
      sound(44_100, 12, 'stereo'),
      '-i',
      list,
      '-map_metadata',
      '1',
      '-id3v2_version',
      '3',
    );
    const source = await readFile(path);
    const { ffmpegPath } = fixture.samples;
    await using done = await splitByRequest(source, { splitMode: 'chapters' }, { ffmpegPath });
    assert.deepEqual(timesOf(done.segments), [
      [0, 4],
      [4, 12],
    ]);
    assert.deepEqual(
      done.segments.map(({ title, endKind }) => [title, endKind]),
      [
        ['Intro', 'chapter'],
        ['Talk', 'end'],
      ],
    );
    const files = await Promise.all(done.segments.map(({ path: own }) => readFile(own)));
    const tags = await readAllTags(files, done.segments[0]?.extension ?? '');
    assert.deepEqual(
      tags.map((each) => [each.get('title'), each.get('track')]),
      [
        ['Intro', '1/2'],
        ['Talk', '2/2'],
      ],
    );
    const given = {
      splitMode: 'chapters',
      chapters: [{ startTime: 0 }, { startTime: 7, title: 'Own' }],
    } as const;
    await using other = await splitByRequest(source, given, { ffmpegPath });
    assert.deepEqual(timesOf(other.segments), [
      [0, 7],
      [7, 12],
    ]);
    assert.deepEqual(
      other.segments.map(({ title }) => title),
      [undefined, 'Own'],
    );
  });

  // Covers C-3.11 C-8.10 C-8.11
  test('tags have the title of the piece, otherwise that of the source with a number, and X of Y', async () => {
    const chapters = [{ startTime: 0 }, { startTime: 8, title: 'One' }];
    await using done = await split('mp3', { splitMode: 'chapters', chapters, maxDuration: 8 });
    const files = await Promise.all(done.segments.map(({ path }) => readFile(path)));
    assert.deepEqual(
      (await readAllTags(files, 'mp3')).map((tags) => [tags.get('title'), tags.get('track')]),
      [
        ['Talk (1)', '1/3'],
        ['One (1/2)', '2/3'],
        ['One (2/2)', '3/3'],
      ],
    );
  });

  // Covers C-2.29
  test('a source without chapters fails the job', async () => {
    await assert.rejects(split('mp3', { splitMode: 'chapters' }), failsWith('NO_CHAPTERS'));
  });
});
