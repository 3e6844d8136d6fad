import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { CutRequest } from '@audiosplit/proto/cut';
import { createSource, decodeFile, decodeFiles, type SourceSpec } from '../copy/testing/ffmpeg.ts';
import type { FinishedSegment, SplitOptions } from '../media.ts';
import { MediaError } from '../media-error.ts';
import { type AudioSamples, createAudioSamples, sound } from '../testing/audio-samples.ts';
import { splitByRequest, timesOf } from './planned.fixture.ts';

const SECONDS = 24;
const STEREO = { seconds: SECONDS, sampleRateHz: 44_100, channelCount: 2 } as const;

/** Formats that are cut at the sample, and whose segments decode to the source's samples, but for the codec's noise. */
const COPIED: Readonly<Record<string, SourceSpec>> = {
  wav: { ...STEREO, extension: 'wav', encode: ['-c:a', 'pcm_s16le'] },
  flac: { ...STEREO, extension: 'flac', encode: ['-c:a', 'flac'] },
  mp3: {
    ...STEREO,
    extension: 'mp3',
    encode: ['-c:a', 'libmp3lame', '-q:a', '4', '-metadata', 'title=Talk'],
  },
  m4a: { ...STEREO, extension: 'm4a', encode: ['-c:a', 'aac', '-b:a', '96k'] },
  opus: { ...STEREO, sampleRateHz: 48_000, extension: 'opus', encode: ['-c:a', 'libopus', '-b:a', '64k'] },
};
/** Cut between packets, which may lie beside the planned place. */
const CUT_BETWEEN_PACKETS: Readonly<Record<string, SourceSpec>> = {
  ogg: { ...STEREO, extension: 'ogg', encode: ['-c:a', 'libvorbis', '-q:a', '4'] },
  adts: { ...STEREO, extension: 'aac', encode: ['-c:a', 'aac', '-f', 'adts'] },
};

let samples: AudioSamples;
const sources = new Map<string, Buffer>();
before(async () => {
  samples = await createAudioSamples();
  for (const [name, spec] of Object.entries({ ...COPIED, ...CUT_BETWEEN_PACKETS })) {
    sources.set(name, await createSource(spec));
  }
});
after(() => samples[Symbol.asyncDispose]());

function sourceOf(name: string): Buffer {
  const source = sources.get(name);
  assert.ok(source, name);
  return source;
}

const split = (name: string, request: CutRequest, settings: Partial<SplitOptions> = {}) =>
  splitByRequest(sourceOf(name), request, { ffmpegPath: samples.ffmpegPath, ...settings });

const fails = (failure: string) => (error: unknown) =>
  error instanceof MediaError && error.failure === failure;

/** What each segment holds is what the source holds there. */
async function assertSound(name: string, segments: readonly FinishedSegment[]): Promise<void> {
  const demuxer = name === 'opus' ? ['-c:a', 'libopus'] : [];
  const { path: dir } = { path: samples.dir };
  const sourcePath = `${dir}/whole.${name}`;
  await import('node:fs/promises').then(({ writeFile }) => writeFile(sourcePath, sourceOf(name)));
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

const RANGES: CutRequest = {
  splitMode: 'ranges',
  ranges: [
    { start: 15.5, end: 19.25, title: 'Late' },
    { start: 0, end: 5 },
    { start: 4.2, end: 9.1, title: 'Over' },
    { start: 20 },
  ],
};

describe('copies', () => {
  for (const name of Object.keys(COPIED)) {
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

  test('the segments of a plain cut are those of the same cut with an option that changes nothing', async () => {
    for (const name of ['mp3', 'flac', 'opus']) {
      await using plain = await splitByRequest(
        sourceOf(name),
        { splitMode: 'duration', segmentDuration: 7, trim: { start: 0 } },
        { ffmpegPath: samples.ffmpegPath },
      );
      await using cut = await splitByRequest(
        sourceOf(name),
        { splitMode: 'duration', segmentDuration: 7 },
        { ffmpegPath: samples.ffmpegPath, cut: { mode: 'duration', segmentDurationSeconds: 7 } },
      );
      assert.deepEqual(timesOf(plain.segments), timesOf(cut.segments));
    }
  });

  test('under overlap files begin before their cuts', async () => {
    await using done = await split('mp3', { splitMode: 'parts', parts: 3, overlap: 1.5 });
    assert.deepEqual(timesOf(done.segments), [
      [0, 0, 8],
      [6.5, 8, 16],
      [14.5, 16, 24],
    ]);
    assert.equal(done.result.meteredSampleCount, SECONDS * 44_100);
    await assertSound('mp3', done.segments);
  });

  test('two caps at once: none is passed, nothing is lost', async () => {
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

  test('a file as full as it may be, though its beginning is cut off', async () => {
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

test('a dry run tells what the run makes, to the byte', async () => {
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

describe('encoded', () => {
  test('ranges to mp3, aac, ogg, flac and wav, at the sample', async () => {
    for (const outputFormat of ['mp3', 'aac', 'ogg', 'flac', 'wav'] as const) {
      await using done = await split('wav', RANGES, { outputFormat });
      assert.deepEqual(
        timesOf(done.segments),
        [
          [15.5, 19.25],
          [0, 5],
          [4.2, 9.1],
          [20, SECONDS],
        ],
        outputFormat,
      );
      const tolerance = outputFormat === 'aac' || outputFormat === 'ogg' ? 2_048 : 0;
      const decoded = await decodeFiles(
        done.segments.map(({ path }) => path),
        's16le',
      );
      for (const [index, pcm] of decoded.entries()) {
        const expected = done.segments[index]?.sampleCount ?? 0;
        assert.ok(
          Math.abs(pcm.length / 4 - expected) <= tolerance,
          `${outputFormat}: ${pcm.length / 4} of ${expected}`,
        );
      }
    }
  });

  test('under a ceiling of bytes, whatever tells the size', async () => {
    for (const outputFormat of ['mp3', 'aac', 'ogg', 'flac', 'wav'] as const) {
      const maxFileSize = outputFormat === 'wav' || outputFormat === 'flac' ? 800_000 : 80_000;
      const request: CutRequest = { splitMode: 'parts', parts: 2, maxFileSize };
      await using done = await split('m4a', request, { outputFormat });
      assert.ok(done.segments.length > 2);
      let end = 0;
      for (const segment of done.segments) {
        assert.equal(segment.startSample, end);
        end += segment.sampleCount;
        assert.ok(segment.sizeBytes <= maxFileSize, `${outputFormat}: ${segment.sizeBytes}`);
      }
      assert.equal(done.result.outputFormat, outputFormat);
    }
  });

  test('for a speech-to-text service: mono, 16 kHz, mp3', async () => {
    await using done = await split('flac', { splitMode: 'parts', parts: 2, preset: 'speech' });
    assert.equal(done.result.outputFormat, 'mp3');
    for (const { path, sampleRateHz, sizeBytes } of done.segments) {
      assert.equal(sampleRateHz, 16_000);
      assert.match((await samples.describe(path)).description, /^mp3, 16000 Hz, mono/);
      assert.ok(Math.abs(sizeBytes - 12 * 6_000) < 3_000);
    }
  });
});

test('one gain brings all segments to the loudness that is asked for', async () => {
  const quiet = await samples.make('quiet.wav', 'sine=f=997:r=48000:d=12,volume=0.05', '-c:a', 'pcm_s16le');
  const request: CutRequest = { splitMode: 'parts', parts: 3, encoding: { loudness: { target: -16 } } };
  await using done = await splitByRequest(await readFile(quiet), request, { ffmpegPath: samples.ffmpegPath });
  const { loudness } = done.result;
  assert.ok(loudness?.measuredLufs !== undefined && loudness.truePeakDbtp !== undefined);
  assert.ok(Math.abs(loudness.measuredLufs + loudness.gainDb + 16) < 0.1, JSON.stringify(loudness));
  const [first] = done.segments;
  assert.ok(first);
  const pcm = await decodeFile(first.path, 's16le');
  const peak = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2).reduce(
    (most, value) => Math.max(most, value),
    0,
  );
  assert.ok(Math.abs(20 * Math.log10(peak / 32_768) - loudness.truePeakDbtp) < 0.3);
});

describe('by the sound', () => {
  test('cuts go back into silences, and never forward', async () => {
    const gaps = 'if(between(mod(t,7),5.6,6.2),0,0.4*sin(2*PI*300*t)+0.1*(random(0)-0.5))';
    const path = await samples.make(
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
      const coded = await samples.make(name, 'anullsrc', '-i', path, '-map', '1:a', ...args);
      await using done = await splitByRequest(
        await readFile(coded),
        { splitMode: 'parts', parts: 4, snapToSilence: { window: 3 } },
        { ffmpegPath: samples.ffmpegPath },
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

  test('mode silence cuts in the middle of each', async () => {
    const path = await samples.make(
      'pauses.wav',
      'aevalsrc=if(between(mod(t\\,5)\\,4\\,5)\\,0\\,0.4*sin(2*PI*300*t)):s=16000:d=14.5',
      '-c:a',
      'pcm_s16le',
    );
    const source = await readFile(path);
    const run = async (request: CutRequest) => {
      await using done = await splitByRequest(source, request, { ffmpegPath: samples.ffmpegPath });
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

describe('chapters', () => {
  test('the source’s own, as they are found', async () => {
    const { writeFile } = await import('node:fs/promises');
    const list = `${samples.dir}/chapters.txt`;
    await writeFile(
      list,
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=4000\ntitle=Intro\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=4000\nEND=12000\ntitle=Talk\n',
    );
    const path = await samples.make(
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
      { ffmpegPath: samples.ffmpegPath },
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
    const titles = await Promise.all(
      done.segments.map(async ({ path: own }) => (await samples.tags(own)).get('title')),
    );
    assert.deepEqual(titles, ['Intro', 'Talk']);
  });

  test('none: the job fails', async () => {
    await assert.rejects(split('mp3', { splitMode: 'chapters' }), fails('NO_CHAPTERS'));
  });
});

test('what is split beyond the quota is refused before anything is made', async () => {
  const request: CutRequest = {
    splitMode: 'ranges',
    ranges: [
      { start: 1, end: 6 },
      { start: 10, end: 15.2 },
    ],
  };
  await using allowed = await split('mp3', request, { maxSourceDurationMs: 11_000 });
  assert.equal(allowed.segments.length, 2);
  await assert.rejects(split('mp3', request, { maxSourceDurationMs: 10_000 }), fails('QUOTA_EXCEEDED'));
});
