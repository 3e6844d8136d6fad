import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToSniff, SNIFF_BYTES } from '../sniff/sniff.ts';
import { readHead } from './source-head.ts';

const TAG_HEADER_BYTES = 10;

function tag(bodyBytes: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (bodyBytes >> shift) & 0x7f);
  return Buffer.concat([Buffer.from('ID3\u0004\0\0', 'latin1'), Buffer.from(size), Buffer.alloc(bodyBytes)]);
}

async function* inChunks(source: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.length; at += chunkBytes) yield source.subarray(at, at + chunkBytes);
}

test('contains the bytes that the sniffer requests, or the whole source', async () => {
  const behindTag = Buffer.concat([tag(300_000), Buffer.alloc(200_000, 1)]);
  const chunkBytes = 5_000;
  const head = await readHead(inChunks(behindTag, chunkBytes), bytesToSniff);
  const wanted = 300_000 + TAG_HEADER_BYTES + SNIFF_BYTES;
  assert.ok(head.length >= wanted && head.length < wanted + chunkBytes, `${head.length} bytes`);
  assert.ok(head.equals(behindTag.subarray(0, head.length)));
  for (const short of [Buffer.alloc(0), Buffer.alloc(3, 1), tag(500)]) {
    assert.ok((await readHead(inChunks(short, 2), bytesToSniff)).equals(short));
  }
});

test('examines at most a few times the number of bytes, for any chain of tags', async () => {
  const oneTag = [tag(15_000_000)];
  const manyTags = Array.from({ length: 200 }, () => tag(70_000));
  for (const tags of [oneTag, manyTags]) {
    const source = Buffer.concat([...tags, Buffer.alloc(SNIFF_BYTES)]);
    let lookedAtBytes = 0;
    const head = await readHead(inChunks(source, 50_000), (bytes) => {
      lookedAtBytes += bytes.length;
      return bytesToSniff(bytes);
    });
    assert.ok(head.equals(source));
    assert.ok(lookedAtBytes < 3 * source.length, `${lookedAtBytes} for ${source.length} bytes`);
  }
});
