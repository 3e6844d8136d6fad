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
  test('cuts move back into silences, and never forward', async () => {
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
      ['gaps.m4a'],
      ['gaps.opus', '-b:a', '64k'],
    ] as const) {
      const coded = await fixture.samples.make(name, 'anullsrc', '-i', path, '-map', '1:a', ...args);
      await using done = await splitByRequest(
        await readFile(coded),
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
    }
  });

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
  test('the source’s own chapters are used as found', async () => {
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
    await using done = await splitByRequest(
      await readFile(path),
      { splitMode: 'chapters' },
      { ffmpegPath: fixture.samples.ffmpegPath },
    );
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
      tags.map((each) => each.get('title')),
      ['Intro', 'Talk'],
    );
  });

  test('a source without chapters fails the job', async () => {
    await assert.rejects(split('mp3', { splitMode: 'chapters' }), failsWith('NO_CHAPTERS'));
  });
});
