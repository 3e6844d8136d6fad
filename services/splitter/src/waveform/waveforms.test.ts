import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { UNCONFINED } from '@audiosplit/engine/sandbox/sandbox';
import { type AudioSamples, createAudioSamples } from '@audiosplit/engine/testing/audio-samples';
import { WaveformOutcome } from '@audiosplit/proto/splitter/v1/splitter';
import { createWaveforms } from './waveforms.ts';

let samples: AudioSamples;
let store: ObjectStore;
let folder: string;
let sizeBytes: number;
before(async () => {
  samples = await createAudioSamples();
  folder = await mkdtemp(join(tmpdir(), 'audiosplit-waveforms-'));
  store = await openFileObjectStore({ directory: join(folder, 'objects') });
  const path = await samples.make('loud.mp3', 'aevalsrc=0.5*sin(2*PI*500*t):s=44100:d=2', '-b:a', '128k');
  ({ size: sizeBytes } = await stat(path));
  for (const key of ['jobs/job_1/1/0.mp3', 'uploads/acc_1/up_1/talk'])
    await store.put(key, createReadStream(path), { contentType: 'audio/mpeg' });
});
after(async () => {
  await store[Symbol.asyncDispose]();
  await samples[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function open(room: () => number) {
  return createWaveforms({
    store,
    cores: { room },
    scratchDir: join(folder, 'scratch'),
    ffmpegPath: samples.ffmpegPath,
    sandbox: UNCONFINED,
    log: silentLogger(),
  });
}

const request = (objectKey = 'jobs/job_1/1/0.mp3') => ({
  accountId: 'acc_1',
  durationMs: 4_000n,
  segments: [{ objectKey, startMs: 2_000n, sizeBytes: BigInt(sizeBytes) }],
});
const forever = new AbortController().signal;

test('a waveform is drawn from stored segments, in the binary format of audiowaveform', async () => {
  using waveforms = open(() => 1);
  const { outcome, waveform = assert.fail() } = await waveforms.draw(request(), forever);
  assert.equal(outcome, WaveformOutcome.DRAWN);
  const data = Buffer.from(waveform);
  const header = Array.from({ length: 6 }, (_, at) => data.readInt32LE(4 * at));
  const [, , rate = 0, perPixel = 0, length = 0] = header;
  assert.deepEqual(header, [2, 1, 44_100, perPixel, length, 1]);
  assert.equal(data.length, 24 + 2 * length);
  assert.ok(length <= 20_000 && length * perPixel >= 4 * rate);
  const highest = (second: number) => data.readInt8(24 + 2 * Math.floor((second * rate) / perPixel) + 1);
  assert.equal(highest(1), 0);
  const loud = Math.max(...Array.from({ length: 50 }, (_, at) => highest(3 + at / 3_700)));
  assert.ok(loud > 55 && loud < 72, String(loud));
  assert.deepEqual(await readdir(join(folder, 'scratch')), []);
});

test('jobs take precedence: nothing is drawn without a free slot, and a drawing ends when jobs take all slots', async () => {
  using busy = open(() => 0);
  assert.deepEqual(await busy.draw(request(), forever), { outcome: WaveformOutcome.NO_ROOM });
  let looks = 0;
  using taken = open(() => {
    looks += 1;
    return looks > 3 ? 0 : 1;
  });
  assert.deepEqual(await taken.draw(request(), forever), { outcome: WaveformOutcome.NO_ROOM });
  assert.equal(looks, 4);
});

test('a splitter draws one waveform at a time', async () => {
  using waveforms = open(() => 1);
  const [first, second] = await Promise.all([
    waveforms.draw(request(), forever),
    waveforms.draw(request(), forever),
  ]);
  assert.deepEqual([first.outcome, second.outcome], [WaveformOutcome.DRAWN, WaveformOutcome.NO_ROOM]);
});

test('segments that are deleted or are not audio cannot be drawn', async () => {
  using waveforms = open(() => 1);
  for (const key of ['jobs/job_1/1/9.mp3', 'jobs/job_1/1/0.flac', 'jobs/job_1/1/0.txt']) {
    const { outcome } = await waveforms.draw(request(key), forever);
    assert.equal(outcome, WaveformOutcome.UNDECODABLE, key);
  }
});

test('an upload of the account is drawn by its content, with any name; an upload of another account is not', async () => {
  using waveforms = open(() => 1);
  const own = request('uploads/acc_1/up_1/talk');
  assert.equal((await waveforms.draw(own, forever)).outcome, WaveformOutcome.DRAWN);
  const others = { ...own, accountId: 'acc_2' };
  assert.equal((await waveforms.draw(others, forever)).outcome, WaveformOutcome.UNDECODABLE);
});

test('a drawing ends with the call that requested it', async () => {
  using waveforms = open(() => 1);
  const over = AbortSignal.abort(new Error('gone'));
  await assert.rejects(waveforms.draw(request(), over), /gone/);
});
