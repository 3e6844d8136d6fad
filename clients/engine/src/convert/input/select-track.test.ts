import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFile } from '../../copy/testing/ffmpeg.ts';
import { readTags } from '../../copy/testing/read-tags.ts';
import { resolveFfmpegPath } from '../../ffmpeg/binary.ts';
import { MediaError } from '../../media-error.ts';
import { findSandbox } from '../../sandbox/find-sandbox.ts';
import { bytesToSniff, sniff } from '../../sniff/sniff.ts';
import { createAudioSamples } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';
import { selectAudioTrack } from './select-track.ts';

const run = promisify(execFile);
const SECONDS = 2.5;
const RATE = 44_100;
/** The frequency of each track's tone. */
const TONES_HZ = [400, 900, 1_700];

const samples = forSuite(createAudioSamples);

/** Three tones as tracks in English, German and an unnamed language; with pictures if `pictures`. */
async function makeFilm(name: string, args: readonly string[], pictures = false): Promise<string> {
  const path = join(samples.dir, name);
  const tones = TONES_HZ.flatMap((tone) => ['-f', 'lavfi', '-i', `sine=${tone}:r=${RATE}:d=${SECONDS}`]);
  await run(await resolveFfmpegPath(undefined), [
    ...['-nostdin', '-v', 'error', ...tones],
    ...(pictures ? ['-f', 'lavfi', '-i', `testsrc=s=64x64:r=10:d=${SECONDS}`, '-map', '3'] : []),
    ...['-map', '0', '-map', '1', '-map', '2', '-metadata', 'title=Film'],
    ...[
      '-metadata:s:a:0',
      'language=eng',
      '-metadata:s:a:1',
      'language=ger',
      '-metadata:s:a:2',
      'language=und',
    ],
    ...[...args, '-y', path],
  ]);
  return path;
}

async function select(path: string, track: number | string) {
  const workDir = await mkdtemp(join(tmpdir(), 'audiosplit-tracks-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(workDir, { recursive: true, force: true }));
  const { ffmpegPath } = samples;
  const bytes = await readFile(path);
  const runtime = {
    ffmpegPath,
    sandbox: await findSandbox(ffmpegPath),
    workDir,
    signal: new AbortController().signal,
    stop: () => undefined,
  };
  const sniffed = sniff(bytes.subarray(0, bytesToSniff(bytes)));
  const file = await selectAudioTrack(runtime, { path, sizeBytes: bytes.length }, sniffed, track);
  const owned = cleanup.move();
  return { file, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The pitch of a mono sound, by its zero crossings. */
function pitchOf(pcm: Buffer): number {
  let crossings = 0;
  const start = 4_096;
  const end = pcm.length / 2 - 4_096;
  for (let sample = start; sample < end; sample += 1)
    if (pcm.readInt16LE(2 * sample) < 0 !== pcm.readInt16LE(2 * sample + 2) < 0) crossings += 1;
  return (crossings / 2 / (end - start)) * RATE;
}

const FILMS: readonly (readonly [
  name: string,
  args: readonly string[],
  format: string,
  isCopied: boolean,
  pictures?: true,
])[] = [
  ['film.mp4', ['-c:a', 'aac'], 'aac', true],
  ['front.m4a', ['-c:a', 'aac', '-movflags', '+faststart'], 'aac', true],
  ['pictures.mp4', ['-c:a', 'aac', '-c:v', 'libx264'], 'aac', true, true],
  ['alac.mov', ['-c:a', 'alac'], 'flac', false],
  ['fragmented.mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov'], 'aac', false],
  ['opus.mka', ['-c:a', 'libopus', '-ar', '48000'], 'ogg', true],
  ['pictures.mkv', ['-c:a', 'flac', '-c:v', 'libx264'], 'flac', true, true],
  ['aac.mkv', ['-c:a', 'aac'], 'aac', false],
  ['vorbis.ogg', ['-c:a', 'libvorbis'], 'ogg', true],
  ['film.ts', ['-c:a', 'aac'], 'aac', false],
  ['latm.ts', ['-c:a', 'aac', '-mpegts_flags', 'latm'], 'aac', false],
  ['film.avi', ['-c:a', 'libmp3lame'], 'mp3', false],
  ['film.wma', ['-c:a', 'wmav2'], 'mp3', false],
  ['film.mpg', ['-c:a', 'mp2'], 'mp3', false],
];

for (const [name, args, format, isCopied, pictures] of FILMS) {
  // Covers C-6.4
  test(`a track of ${name} is split ${isCopied ? 'by copying' : 'by converting'}`, async () => {
    const path = await makeFilm(name, args, pictures);
    for (const [index, tone] of TONES_HZ.entries()) {
      await using selected = await select(path, index);
      await using split = await startSplit(await readFile(selected.file.path), {
        ffmpegPath: isCopied ? '/nonexistent/ffmpeg' : samples.ffmpegPath,
        cut: { mode: 'duration', segmentDurationSeconds: 1 },
      });
      assert.equal((await split.outcome).outputFormat, format);
      const held = split.segments.reduce(
        (sum, { sampleCount, sampleRateHz }) => sum + sampleCount / sampleRateHz,
        0,
      );
      // The encoder's delay is kept if the container does not state it.
      assert.ok(held > SECONDS - 0.07 && held < SECONDS + 0.08, `${held} s`);
      const [first] = split.segments;
      const pcm = await decodeFile(first?.path ?? '', 's16le');
      const pitch = pitchOf(pcm) * ((first?.sampleRateHz ?? RATE) / RATE);
      assert.ok(Math.abs(pitch - tone) < 0.05 * tone, `${pitch} Hz instead of ${tone}`);
    }
  });
}

// Covers C-6.5 C-6.6
test('a language can be requested by any of its codes, and the title is kept', async () => {
  for (const [name, ...args] of [
    ['words.mp4', '-c:a', 'aac'],
    ['words.mka', '-c:a', 'flac'],
    ['words.ogg', '-c:a', 'libvorbis'],
    ['words.ts', '-c:a', 'mp2'],
  ] as const) {
    const path = await makeFilm(name, args);
    for (const [code, tone] of [
      ['de', 900],
      ['DEU', 900],
      ['ger', 900],
      ['en', 400],
      ['Eng', 400],
    ] as const) {
      await using selected = await select(path, code);
      const pitch = pitchOf(await decodeFile(selected.file.path, 's16le'));
      assert.ok(Math.abs(pitch - tone) < 0.05 * tone, `${name} in ${code}: ${pitch} Hz`);
      if (!name.endsWith('.ts')) {
        const stream = await readFile(selected.file.path);
        const tags = await readTags(stream, name.slice(-3));
        assert.ok(tags.get('title') === 'Film' || stream.includes('Film'), name);
      }
    }
    for (const [track, asked] of [
      [3, '3'],
      ['fra', 'fra'],
      ['und', 'und'],
      ['no code', 'no code'],
    ] as const) {
      await assert.rejects(
        async () => select(path, track),
        (error) => {
          assert.ok(error instanceof MediaError && error.failure === 'NO_SUCH_TRACK', String(error));
          assert.match(
            error.message,
            new RegExp(`no audio track ${asked}\\. It has: 0 \\(eng\\), 1 \\((ger|deu)\\), 2 `),
          );
          return true;
        },
      );
    }
  }
});

// Covers C-6.5 C-6.7
test('of several tracks in a language the first is taken, and without a request the first of all', async () => {
  // The second is marked as the default, which was never considered.
  const marks = ['-disposition:a:0', '0', '-disposition:a:1', 'default', '-metadata:s:a:2', 'language=deu'];
  for (const name of ['twice.mp4', 'twice.mka']) {
    const path = await makeFilm(name, ['-c:a', name.endsWith('mp4') ? 'aac' : 'flac', ...marks]);
    await using selected = await select(path, 'de');
    const pitch = pitchOf(await decodeFile(selected.file.path, 's16le'));
    assert.ok(Math.abs(pitch - 900) < 45, `${name} in German: ${pitch} Hz`);
    for (const outputFormat of [undefined, 'wav'] as const) {
      await using split = await startSplit(await readFile(path), {
        cut: { mode: 'duration', segmentDurationSeconds: 2 },
        ...(outputFormat && { outputFormat }),
      });
      await split.outcome;
      const first = pitchOf(await decodeFile(split.segments[0]?.path ?? '', 's16le'));
      assert.ok(Math.abs(first - 400) < 20, `${name}: ${first} Hz`);
    }
  }
});

// Covers C-6.4 C-6.6
test('a source of one track is unchanged', async () => {
  const path = await samples.make('one.mp3', 'sine=d=1');
  await using selected = await select(path, 0);
  assert.equal(selected.file.path, path);
  await assert.rejects(
    async () => select(path, 'en'),
    (error) =>
      error instanceof MediaError && /no audio track en\. It has: 0 \(no language\)/.test(error.message),
  );
});
