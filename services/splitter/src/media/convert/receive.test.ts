import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MediaError } from '../media.ts';
import type { SourceContainer } from '../sniff.ts';
import { type AudioSamples, createAudioSamples, sound } from '../testing/audio-samples.ts';
import { startSplit } from '../testing/split-run.ts';
import { type ReceivedSource, receiveSource } from './receive.ts';
import { createSourceSpool } from './source-file.ts';

let samples: AudioSamples;
before(async () => {
  samples = await createAudioSamples();
});
after(() => samples[Symbol.asyncDispose]());

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 20_000) yield bytes.subarray(at, at + 20_000);
}

async function receive(
  container: SourceContainer,
  chunks: AsyncIterable<Uint8Array>,
  isUntouched: boolean,
  maxDurationMs?: number,
): Promise<ReceivedSource['probed']> {
  const workDir = await mkdtemp(join(tmpdir(), 'audiosplit-receive-'));
  try {
    const { signal } = new AbortController();
    const runtime = { ffmpegPath: samples.ffmpegPath, prlimitPath: undefined, workDir, signal };
    await using spool = await createSourceSpool(join(workDir, 'source'));
    const incoming = { container, bytes: spool.tee(chunks), isUntouched, spool };
    const { source, probed } = await receiveSource(runtime, incoming, maxDurationMs);
    assert.equal(source.sizeBytes, (await readFile(source.path)).length);
    return probed;
  } finally {
    await rm(workDir, { recursive: true });
  }
}

test('a source counts the same on arrival as on disk, whole, cut short or with tags behind it', async () => {
  const cases: readonly (readonly [SourceContainer, string, ...string[]])[] = [
    ['mp3', 'c.mp3', '-b:a', '128k'],
    ['mp3', 'v.mp3', '-q:a', '4', '-write_id3v1', '1', '-metadata', 'title=x'],
    ['mp3', 'x.mp3', '-b:a', '96k', '-write_xing', '0', '-id3v2_version', '0'],
    ['mp3', 'l.mp3', '-b:a', '32k', '-ar', '16000'],
    ['wav', 's.wav'],
    ['flac', 's.flac'],
    ['ogg', 's.ogg', '-c:a', 'libvorbis'],
    ['adts', 's.aac'],
    ['matroska', 's.mka', '-c:a', 'libvorbis'],
  ];
  for (const [container, name, ...args] of cases) {
    const whole = await readFile(await samples.make(name, sound(44_100, 4.7, 'stereo'), ...args));
    const ends = [0.35, 0.6, 0.9, 0.99, 0.999, 1].map((share) => Math.floor(whole.length * share));
    for (const end of ends) {
      const bytes = whole.subarray(0, end);
      const onDisk = await receive(container, inChunks(bytes), false);
      assert.deepEqual(await receive(container, inChunks(bytes), true), onDisk, `${name} up to ${end}`);
    }
  }
});

test('what is counted of an odd mp3 is there when it is decoded again', async () => {
  const mp3 = await readFile(await samples.make('odd.mp3', sound(44_100, 3.3, 'stereo'), '-b:a', '128k'));
  const middle = Math.floor(mp3.length / 2);
  const junk = Buffer.alloc(3_000, 0x41);
  const odd = [
    [mp3.subarray(0, middle), junk, mp3.subarray(middle)],
    [mp3.subarray(0, middle), mp3.subarray(middle + 3_000)],
    [mp3.subarray(0, 45), mp3],
    [mp3, Buffer.alloc(5_000)],
    [mp3, mp3],
  ];
  for (const parts of odd) {
    const source = Buffer.concat(parts);
    await using run = await startSplit(source, {
      ffmpegPath: samples.ffmpegPath,
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      outputFormat: 'wav',
    });
    const result = await run.outcome;
    const held = run.segments.reduce((sum, segment) => sum + segment.sampleCount, 0);
    assert.equal(held, result.sourceSampleCount);
  }
});

test('a source beyond its allowance is not fetched to the end', async () => {
  const bytes = await readFile(await samples.make('long.flac', sound(44_100, 60, 'stereo')));
  let fetched = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for await (const chunk of inChunks(bytes)) {
      fetched += chunk.length;
      yield chunk;
    }
    assert.fail('the source was fetched to the end');
  }
  await assert.rejects(
    receive('flac', endless(), true, 1_000),
    (error) => error instanceof MediaError && error.failure === 'QUOTA_EXCEEDED',
  );
  assert.ok(fetched < bytes.length);
});

test('an error of the source comes through', async () => {
  const bytes = await readFile(await samples.make('broken.flac', sound(44_100, 2, 'stereo')));
  const failure = new Error('connection reset');
  for (const length of [10, 100_000]) {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, length);
      throw failure;
    }
    await assert.rejects(receive('flac', breaking(), true), failure);
  }
});
