import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import { findSandbox } from '../../sandbox/find-sandbox.ts';
import { sniff } from '../../sniff/sniff.ts';
import { createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';
import { decodeAudible } from '../samples/audible-samples.ts';
import { countSamples } from './probe.ts';
import { receiveSource } from './receive.ts';
import { createSourceSpool } from './source-file.ts';

const samples = forSuite(createAudioSamples);

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 20_000) yield bytes.subarray(at, at + 20_000);
}

interface Decoded {
  readonly pcm: Buffer;
  readonly sourceSampleCount: number;
  readonly counted: number;
}

async function runtimeIn(workDir: string): Promise<FfmpegRuntime> {
  const { ffmpegPath } = samples;
  const { signal } = new AbortController();
  return { ffmpegPath, sandbox: await findSandbox(ffmpegPath), workDir, signal, stop: () => undefined };
}

/** Decodes a source as it arrives, or from disk if part of it has been read before. */
async function receive(bytes: Uint8Array, isUntouched: boolean, sampleRateHz?: number): Promise<Decoded> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-receive-'));
  const runtime = await runtimeIn(folder.path);
  const sniffed = sniff(bytes);
  await using spool = createSourceSpool(join(folder.path, 'source'));
  const tee = spool.tee(inChunks(bytes));
  const incoming = { sniffed, bytes: tee, isUntouched, spool, sizeBytes: undefined };
  const { source, probed } = await receiveSource(runtime, incoming, () => undefined);
  assert.equal('whole' in source, isUntouched);
  const input = 'whole' in source ? source.fed(source.whole()) : source;
  const pcm = {
    format: 's16le',
    sampleRateHz: sampleRateHz ?? probed.sampleRateHz,
    channelCount: 2,
  } as const;
  await using decoded = await decodeAudible(runtime, input, { probed, pcm });
  const whole = await buffer(decoded.pcm);
  const counted = await countSamples(runtime, await spool.finish(sniffed.container), probed, undefined);
  return { pcm: whole, sourceSampleCount: decoded.sourceSampleCount(), counted };
}

test('a source decodes the same on arrival as from disk: whole, truncated or with tags after it', async () => {
  const sources: readonly (readonly [string, ...string[]])[] = [
    ['c.mp3', '-b:a', '128k'],
    ['v.mp3', '-q:a', '4', '-write_id3v1', '1', '-metadata', 'title=x'],
    ['x.mp3', '-b:a', '96k', '-write_xing', '0', '-id3v2_version', '0'],
    ['l.mp3', '-b:a', '32k', '-ar', '16000'],
    ['s.wav'],
    ['s.flac'],
    ['s.ogg', '-c:a', 'libvorbis'],
    ['s.aac'],
    ['s.mka', '-c:a', 'libvorbis'],
    ['s.m4a', '-c:a', 'aac', '-movflags', '+faststart'],
  ];
  for (const [name, ...args] of sources) {
    const whole = await readFile(await samples.make(name, sound(44_100, 4.7, 'stereo'), ...args));
    for (const share of [0.6, 0.999, 1]) {
      const bytes = whole.subarray(0, Math.floor(whole.length * share));
      const onDisk = await receive(bytes, false);
      const onArrival = await receive(bytes, true);
      assert.ok(onArrival.pcm.equals(onDisk.pcm), `${name} up to ${share}`);
      const held = onArrival.pcm.length / 4;
      assert.deepEqual(
        [onDisk.sourceSampleCount, onDisk.counted, onArrival.sourceSampleCount, onArrival.counted],
        [held, held, held, held],
        `${name} up to ${share}`,
      );
    }
  }
});

test('a fast source is read only as far as its decoder reads to recognise it', async () => {
  const sound4s = await readFile(
    await samples.make('long.mp3', sound(44_100, 4.7, 'stereo'), '-b:a', '128k'),
  );
  const source = Buffer.concat(Array.from({ length: 200 }, () => sound4s));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-receive-'));
  const runtime = await runtimeIn(folder.path);
  let readBytes = 0;
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of inChunks(source)) {
      readBytes += chunk.length;
      yield chunk;
    }
  }
  await using spool = createSourceSpool(join(folder.path, 'source'));
  spool.release();
  const incoming = {
    sniffed: sniff(source),
    bytes: spool.tee(read()),
    isUntouched: true,
    spool,
    sizeBytes: undefined,
  };
  await receiveSource(runtime, incoming, () => undefined);
  assert.ok(readBytes < 2_000_000, `${readBytes} of ${source.length}`);
});

test('the padding after the last sample is trimmed, also if the source is resampled', async () => {
  const count = Math.round(4.7 * 44_100);
  for (const [name, ...args] of [['t.mp3'], ['t.ogg', '-c:a', 'libvorbis']] as const) {
    const source = await readFile(await samples.make(name, sound(44_100, 4.7, 'stereo'), ...args));
    const same = await receive(source, true);
    assert.deepEqual([same.sourceSampleCount, same.pcm.length / 4], [count, count], name);
    const resampled = await receive(source, true, 48_000);
    assert.equal(resampled.sourceSampleCount, count, name);
    const expected = Math.ceil((count * 48_000) / 44_100);
    const held = resampled.pcm.length / 4;
    assert.ok(held <= expected && held > expected - 100, `${name}: ${held} of ${expected}`);
  }
});

test('the counted samples of an odd mp3 exist when it is decoded again', async () => {
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
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      outputFormat: 'wav',
    });
    const result = await run.outcome;
    const held = run.segments.reduce((sum, segment) => sum + segment.sampleCount, 0);
    assert.equal(held, result.sourceSampleCount);
  }
});
