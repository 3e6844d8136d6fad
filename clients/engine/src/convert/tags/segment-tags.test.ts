import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeJoined } from '../../copy/testing/ffmpeg.ts';
import { readAllTags } from '../../copy/testing/read-tags.ts';
import { OUTPUT_FORMATS } from '../../formats/formats.ts';
import { createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';
import { embedCover } from './embed-cover.ts';

const RATE = 44_100;

const samples = forSuite(createAudioSamples);

const CUTS = [
  { mode: 'duration', segmentDurationSeconds: 2 },
  { mode: 'fileSize', maxFileSizeBytes: 65_536 },
] as const;
const TAGS = ['-metadata', 'title=Sea; of=Tones', '-metadata', 'artist=Ä', '-metadata', 'album=Waves'];
const EXTENSIONS = { mp3: 'mp3', wav: 'wav', flac: 'flac', ogg: 'ogg', aac: 'm4a' } as const;

for (const format of OUTPUT_FORMATS) {
  test(`tags go into every ${format} segment with its number, copied or converted`, async () => {
    const tone = sound(RATE, 8, 'stereo');
    const own = await samples.make(`tagged.${EXTENSIONS[format]}`, tone, ...TAGS);
    const other = await samples.make('tagged.mka', tone, '-c:a', 'pcm_s16le', ...TAGS);
    for (const source of [own, other]) {
      for (const cut of CUTS) {
        await using run = await startSplit(await readFile(source), { cut, outputFormat: format });
        await run.outcome;
        assert.ok(run.segments.length > 1);
        const files = await Promise.all(run.segments.map(({ path }) => readFile(path)));
        for (const [index, tags] of (await readAllTags(files, EXTENSIONS[format])).entries()) {
          const isCopiedWav = format === 'wav' && source === own;
          assert.equal(tags.get('title'), isCopiedWav ? 'Sea; of=Tones' : `Sea; of=Tones (${index + 1})`);
          assert.deepEqual([tags.get('artist'), tags.get('album')], ['Ä', 'Waves']);
          if (!isCopiedWav) assert.equal(tags.get('track')?.split('/')[0], String(index + 1));
        }
      }
    }
  });
}

/** The first bytes of a picture; no more are read. */
function picture(byteCount: number): Buffer {
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(byteCount, 0x5a)]);
}

test('a small cover of any kind of tag is added to every segment that has room for it, a large one to none', async () => {
  const tone = sound(RATE, 4, 'stereo');
  const covers = [picture(3_000), picture(30_000)] as const;
  for (const [index, cover] of covers.entries()) {
    const flac = await readFile(await samples.make(`bare-${index}.flac`, tone, ...TAGS));
    const mp3 = await readFile(await samples.make(`bare-${index}.mp3`, tone, '-b:a', '192k', ...TAGS));
    const m4a = await readFile(
      await samples.make(`bare-${index}.m4a`, tone, '-movflags', '+faststart', ...TAGS),
    );
    const sources = [
      ['flac', flac],
      ['mp3', mp3],
      ['m4a', m4a],
    ] as const;
    for (const [name, bytes] of index === 0 ? sources : sources.slice(0, 1)) {
      const jpeg = { mimeType: 'image/jpeg', bytes: cover } as const;
      const signal = new AbortController().signal;
      const source = await buffer(embedCover(name, jpeg, Readable.from([bytes]), signal));
      for (const outputFormat of ['mp3', 'flac', 'aac'] as const) {
        for (const cut of CUTS) {
          await using run = await startSplit(source, { cut, outputFormat });
          await run.outcome;
          const files = await Promise.all(run.segments.map(({ path }) => readFile(path)));
          const isCarried = cut.mode === 'duration' || index === 0;
          for (const file of files) assert.equal(file.includes(cover), isCarried, `${name} ${outputFormat}`);
          for (const tags of await readAllTags(files, EXTENSIONS[outputFormat]))
            assert.equal(tags.get('artist'), 'Ä', `${name} ${outputFormat}`);
          const held = (await decodeJoined(run.segments, 's16le')).length / 4;
          // The decoder of 2018 leaves the last AAC block whole.
          const surplus = held - 4 * RATE;
          assert.ok(surplus >= 0 && (outputFormat === 'aac' || surplus === 0), `${name} ${outputFormat}`);
        }
      }
    }
  }
});
