/** A source on this machine gives exactly the same segments as one that arrives over the network. */
import assert from 'node:assert/strict';
import { appendFile, copyFile, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { OutputFormat } from '../formats/formats.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { failsWith } from '../testing/fails-with.ts';
import { startSplit } from '../testing/split-run.ts';
import type { LocalFile } from './local-file.ts';

const CUT = { mode: 'duration', segmentDurationSeconds: 4 } as const;
const RATE = 44_100;

const samples = forSuite(createAudioSamples);

/** The engine's report of the segments, and their bytes. */
async function split(
  bytes: Uint8Array,
  file: LocalFile | undefined,
  outputFormat?: OutputFormat,
): Promise<{ readonly facts: readonly unknown[]; readonly files: readonly Buffer[] }> {
  await using run = await startSplit(bytes, {
    cut: CUT,
    ...(file === undefined ? {} : { source: file }),
    ...(outputFormat === undefined ? {} : { outputFormat }),
  });
  const result = await run.outcome;
  assert.equal(run.progress.at(-1), 1);
  assert.deepEqual(await run.leftovers(), []);
  const facts = run.segments.map(({ path: _, ...rest }) => rest);
  return {
    facts: [result, ...facts],
    files: await Promise.all(run.segments.map(({ path }) => readFile(path))),
  };
}

const SOURCES: readonly (readonly string[])[] = [
  ['long.wav', '-c:a', 'pcm_s16le'],
  ['long.flac'],
  ['long.mp3', '-q:a', '2'],
  ['long.ogg', '-c:a', 'libvorbis'],
  ['long.opus', '-c:a', 'libopus', '-ar', '48000'],
  ['index-first.m4a', '-c:a', 'aac', '-movflags', '+faststart'],
  ['index-last.m4a', '-c:a', 'aac'],
  ['long.aac', '-c:a', 'aac'],
];

for (const [name = '', ...args] of SOURCES) {
  test(`${name} copied`, async () => {
    const path = await samples.make(name, sound(RATE, 21, 'stereo'), ...args);
    const bytes = await readFile(path);
    // Metadata that an object store may append to the source.
    await appendFile(path, 'audio/mpeg');
    const { mtime } = await stat(path);
    const file = { path, sizeBytes: bytes.length, modifiedAtMs: mtime.getTime() };
    assert.deepEqual(await split(bytes, file), await split(bytes, undefined));
  });
}

test('converted, and converted from where copying had to stop', async () => {
  const wav = await samples.make('to-convert.wav', sound(RATE, 9, 'stereo'), '-c:a', 'pcm_s16le');
  const bytes = await readFile(wav);
  const file = { path: wav, sizeBytes: bytes.length };
  assert.deepEqual((await split(bytes, file, 'flac')).facts, (await split(bytes, undefined, 'flac')).facts);

  const stereo = await samples.make('stereo.mp3', sound(RATE, 9, 'stereo'), '-b:a', '128k');
  const mono = await samples.make('mono.mp3', sound(RATE, 9, 'mono'), '-b:a', '64k', '-id3v2_version', '0');
  const path = join(samples.dir, 'changing.mp3');
  await copyFile(stereo, path);
  await appendFile(path, await readFile(mono));
  const changing = await readFile(path);
  const local = { path, sizeBytes: changing.length };
  assert.deepEqual((await split(changing, local)).facts, (await split(changing, undefined)).facts);
});

test('a file that is missing, replaced or too short fails the split and leaves no files', async () => {
  const path = await samples.make('short.wav', sound(RATE, 9, 'mono'), '-c:a', 'pcm_s16le');
  const { size: sizeBytes, mtime } = await stat(path);
  const modifiedAtMs = mtime.getTime();
  const settings = { cut: CUT };
  const nothing = new Uint8Array();
  for (const [file, reason] of [
    [{ path: `${path}-not`, sizeBytes }, /ENOENT/],
    [{ path, sizeBytes, modifiedAtMs: modifiedAtMs - 1 }, /replaced/],
    [{ path, sizeBytes: sizeBytes + 1 }, /ends after/],
  ] as const) {
    await using run = await startSplit(nothing, { ...settings, source: file });
    await assert.rejects(run.outcome, reason);
    assert.deepEqual(await run.leftovers(), []);
  }
  await truncate(path, 0);
  await using empty = await startSplit(nothing, { ...settings, source: { path, sizeBytes: 0 } });
  await assert.rejects(empty.outcome, failsWith('UNSUPPORTED_MEDIA'));
});

test('an abort ends the read of a local file', async () => {
  const path = await samples.make('aborted.wav', sound(RATE, 60, 'stereo'), '-c:a', 'pcm_s16le');
  const aborting = new AbortController();
  const reason = new Error('enough');
  await using run = await startSplit(new Uint8Array(), {
    cut: CUT,
    source: { path, sizeBytes: (await stat(path)).size },
    signal: aborting.signal,
    onSegment: async ({ index }) => {
      if (index === 1) aborting.abort(reason);
    },
  });
  await assert.rejects(run.outcome, reason);
  assert.ok(run.segments.length < 15);
  assert.deepEqual(await run.leftovers(), []);
});
