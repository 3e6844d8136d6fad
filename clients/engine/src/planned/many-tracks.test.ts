import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { matroskaFile } from '../chapters/testing/container-tables.ts';
import { decodeFile, runFfmpeg } from '../copy/testing/ffmpeg.ts';
import { AUDIO, cluster, element, simpleBlock, trackEntry, tracks } from '../copy/testing/matroska.ts';
import { oggContent } from '../copy/testing/ogg-packets.ts';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { splitByRequest } from './planned.fixture.ts';

const samples = forSuite(createAudioSamples);
const TRACKS = 500;
const SILENCE = 'aevalsrc=0:s=48000:d=1';
const TONE = 'sine=400:r=48000:d=1';

/**
 * Tracks of silence, and one with a tone, in German, at the end. `commented`: the lines of the first ones'
 * comments, of which ffmpeg prints each with an indent.
 */
async function joinTracks(
  name: string,
  count: number,
  args: readonly string[],
  commented: readonly number[] = [],
): Promise<Buffer> {
  const [silent, tone] = await Promise.all([
    samples.make(`silent-${name}`, SILENCE, ...args),
    samples.make(`tone-${name}`, TONE, ...args),
  ]);
  const path = join(samples.dir, name);
  const silentOnes = Array.from({ length: count - 1 }, () => ['-map', '0:a']).flat();
  const language = [`-metadata:s:a:${count - 1}`, 'language=ger'];
  const tags = [
    ...language,
    ...commented.flatMap((size, n) => [`-metadata:s:a:${n}`, `comment=${'line\n'.repeat(size)}`]),
  ];
  await runFfmpeg(['-i', silent, '-i', tone, ...silentOnes, '-map', '1:a', ...tags, '-c', 'copy', path]);
  return await readFile(path);
}

/** Only the first track and the last one have packets. */
async function matroskaTracks(): Promise<Buffer> {
  const packetsOf = async (name: string, sound: string) =>
    oggContent(await readFile(await samples.make(name, sound, '-c:a', 'libopus'))).packets;
  const [head = Buffer.alloc(0), , ...silence] = await packetsOf('silent.opus', SILENCE);
  const [, , ...tone] = await packetsOf('tone.opus', TONE);
  const numbers = [1, ...Array.from({ length: TRACKS - 2 }, (_, index) => index + 3), 2];
  const entries = numbers.map((number) => {
    const more = element(0x22b59c, number === 2 ? 'ger' : 'und');
    return trackEntry({ number, type: AUDIO, codecId: 'A_OPUS', codecPrivate: head, more });
  });
  const blocks = [silence, tone].flatMap((packets, index) =>
    packets.map((packet) => simpleBlock(index + 1, [packet])),
  );
  return matroskaFile(tracks(...entries), cluster(blocks));
}

for (const [name, make] of [
  ['MP4', () => joinTracks('tracks.mp4', TRACKS, ['-c:a', 'aac'])],
  ['Matroska', matroskaTracks],
] as const) {
  // Covers C-6.4 C-6.6
  test(`a source of ${TRACKS} audio tracks in ${name}: the default one, any other, and none such`, async () => {
    const source = await make();
    const { ffmpegPath } = samples;
    const isSilent = async (track: { audioTrack?: number | string }): Promise<boolean> => {
      await using done = await splitByRequest(
        source,
        { splitMode: 'parts', parts: 2, ...track },
        { ffmpegPath },
      );
      assert.equal(done.segments.length, 2);
      const pcm = await decodeFile(done.segments[0]?.path ?? '', 's16le');
      return pcm.every((byte) => byte === 0);
    };
    assert.deepEqual(
      [await isSilent({}), await isSilent({ audioTrack: TRACKS - 1 }), await isSilent({ audioTrack: 'de' })],
      [true, false, false],
    );
    const noSuch = { splitMode: 'parts', parts: 2, audioTrack: TRACKS } as const;
    await assert.rejects(splitByRequest(source, noSuch, { ffmpegPath }), {
      failure: 'NO_SUCH_TRACK',
      message: 'The source has no audio track 500. It has: 0 to 498 (no language), 499 (ger).',
    });
  });
}

test('a track is found behind the tags of others, however long they are', async () => {
  const source = await joinTracks('commented.ogg', 3, ['-c:a', 'libvorbis'], [5_000, 1_000]);
  const { ffmpegPath } = samples;
  for (const audioTrack of [2, 'de']) {
    const request = { splitMode: 'parts', parts: 2, audioTrack } as const;
    await using done = await splitByRequest(source, request, { ffmpegPath });
    const pcm = await decodeFile(done.segments[0]?.path ?? '', 's16le');
    assert.ok(pcm.some((byte) => byte !== 0));
  }
});
