import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { createTag, withSize } from '../mp3/id3-tag.ts';
import { createSource } from '../testing/ffmpeg.ts';
import { readTags } from '../testing/read-tags.ts';
import { splitBuffer } from '../testing/split-buffer.ts';
import { createChunkRetagger } from './retag.ts';
import { chunk } from './segment-header.ts';

const CUT = { mode: 'duration', segmentDurationSeconds: 1 } as const;
const OWN = { title: 'Odd', track: 2, trackCount: 5 };
const HEADER_BYTES = 36;

let bare: Buffer = Buffer.alloc(0);
before(async () => {
  const spec = { seconds: 1, sampleRateHz: 8_000, channelCount: 1, extension: 'wav' } as const;
  bare = await createSource({ ...spec, encode: ['-map_metadata', '-1', '-fflags', '+bitexact'] });
});

function withChunks(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([bare.subarray(0, HEADER_BYTES), ...chunks, bare.subarray(HEADER_BYTES)]);
}

function info(...texts: readonly (readonly [id: string, text: string])[]): Buffer {
  return chunk(
    'LIST',
    Buffer.concat([Buffer.from('INFO'), ...texts.map(([id, text]) => chunk(id, Buffer.from(text)))]),
  );
}

function id3(id: string, text: string): Buffer {
  const frame = Buffer.concat([Buffer.from(id), Buffer.alloc(6), Buffer.from(`\x03${text}`)]);
  return chunk('id3 ', createTag(4, [withSize(frame, 4)]));
}

async function split(source: Buffer, title: string | undefined): Promise<Buffer> {
  const tagsOf = () => ({ ...OWN, title });
  const [file = Buffer.alloc(0)] = (await splitBuffer('wav', source, CUT, { tagsOf })).files;
  assert.equal(file.readUInt32LE(4), file.length - 8);
  return file;
}

test('title and track of the list and of the tag are replaced, the rest is kept', async () => {
  const labels = chunk('LIST', Buffer.from('adtllabl'));
  const list = info(['INAM', 'Sea\0'], ['IPRT', '4\0'], ['ITRK', '4'], ['IART', 'Me\0'], ['INAM', 'x']);
  const file = await split(withChunks(labels, list, id3('TALB', 'Waves')), OWN.title);
  assert.deepEqual(
    await readTags(file, 'wav'),
    new Map([
      ['artist', 'Me'],
      ['title', 'Odd'],
      ['track', '2/5'],
    ]),
  );
  assert.ok(file.includes(labels) && file.includes(`\x03Waves`, 0, 'latin1'));
  assert.equal(
    file
      .toString('latin1')
      .match(/INAM|TIT2/g)
      ?.join(),
    'INAM,TIT2',
  );
  assert.equal(
    file
      .toString('latin1')
      .match(/ITRK|IPRT|TRCK/g)
      ?.join(),
    'ITRK,TRCK',
  );
});

test('without its own title a segment has that of the source with its number', async () => {
  for (const text of ['Sea\0', 'Sea', 'Sea\0\0\0']) {
    const tags = await readTags(await split(withChunks(info(['INAM', text])), undefined), 'wav');
    assert.equal(tags.get('title'), 'Sea (2)');
  }
  assert.ok((await split(withChunks(id3('TIT2', 'Sea')), undefined)).includes(`\x03Sea (2)`));
  assert.equal((await readTags(await split(bare, undefined), 'wav')).get('title'), undefined);
});

test('for any chunks, the chunks of a segment follow one another', () => {
  const chunks = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
        fc.constantFrom(info(['INAM', 'a']), info(), id3('TIT2', 'b'), chunk('LIST', Buffer.from('INF'))),
      ),
    )
    .map((parts) => Buffer.concat(parts));
  fc.assert(
    fc.property(chunks, (source) => {
      const retagged = createChunkRetagger(source)(OWN);
      let at = 0;
      while (at < retagged.length)
        at += 8 + retagged.readUInt32LE(at + 4) + (retagged.readUInt32LE(at + 4) % 2);
      assert.equal(at, retagged.length);
      assert.ok(retagged.includes('INAM') && retagged.includes('ITRK'));
    }),
  );
});
