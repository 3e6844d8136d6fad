import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { type ArchiveEntry, archiveSizeBytes, createArchive } from './archive.ts';
import { readZip } from './read-zip.fixture.ts';

const MADE_AT = new Date('2026-03-01T12:01:00Z');

function filesOf(count: number, sizeOf: (index: number) => number) {
  return Array.from({ length: count }, (_, index) => {
    const bytes = randomBytes(sizeOf(index));
    return { name: `talk-${index}.mp3`, sizeBytes: bytes.length, bytes };
  });
}

describe('an archive', () => {
  // 2,000 names make a directory longer than 16 bits can count.
  for (const count of [0, 1, 3, 700, 2_000]) {
    test(`of ${count} entries has the announced length and contains them`, async () => {
      const files = filesOf(count, (index) => (index * 7_919) % 300);
      const archive = createArchive(files, MADE_AT, async ({ bytes }) => Readable.from([bytes]));
      const zip = await buffer(archive);
      assert.equal(zip.length, archiveSizeBytes(files));
      const entries = await readZip(zip);
      assert.deepEqual(
        entries.map(({ name, bytes }) => [name, bytes.toString('hex')]),
        files.map(({ name, bytes }) => [name, bytes.toString('hex')]),
      );
      assert.ok(entries.every(({ modifiedAt }) => modifiedAt.getTime() === MADE_AT.getTime()));
    });
  }

  test('of more than 4 GiB has a known length, in 64 bits', () => {
    const [small, large] = [1, 5 * 2 ** 30].map((sizeBytes) => archiveSizeBytes([{ name: 'a', sizeBytes }]));
    assert.ok(small !== undefined && large !== undefined);
    // Zip64 adds sizes in the descriptor and the directory, and a second record and locator at the end.
    assert.equal(large - small, 5 * 2 ** 30 - 1 + 8 + 28 + 56 + 20);
  });

  test('opens one object at a time, and only as far as it is read', async () => {
    const opened: string[] = [];
    const streams: Readable[] = [];
    const files = filesOf(20, () => 200_000);
    const archive = createArchive(files, MADE_AT, async ({ name, bytes }) => {
      assert.ok(streams.every((stream) => stream.readableEnded));
      opened.push(name);
      const stream = Readable.from(chunksOf(bytes));
      streams.push(stream);
      return stream;
    });
    await until(() => archive.readableLength > 0);
    assert.deepEqual(opened, ['talk-0.mp3']);
    for await (const chunk of archive) assert.ok(chunk.length <= 65_536, 'nothing is gathered');
    assert.equal(opened.length, 20);
  });

  test('that is abandoned destroys the bodies that it reads', async () => {
    let source: Readable | undefined;
    const entry: ArchiveEntry = { name: 'endless.mp3', sizeBytes: 1e12 };
    const archive = createArchive([entry], MADE_AT, async () => {
      source = Readable.from(endless());
      return source;
    });
    await until(() => archive.readableLength > 0);
    archive.destroy();
    await until(() => source?.destroyed === true, 'the object is let go');
  });

  test('that is abandoned while an object is being opened releases the object', async () => {
    const opening = Promise.withResolvers<Readable>();
    const archive = createArchive([{ name: 'a', sizeBytes: 3 }], MADE_AT, () => opening.promise);
    archive.destroy();
    await until(() => archive.closed);
    const source = Readable.from([Buffer.from('abc')]);
    opening.resolve(source);
    await until(() => source.destroyed);
  });

  for (const [what, open] of Object.entries({
    'is gone': () => Promise.reject(new Error('no object')),
    'breaks off': async () => Readable.from(broken()),
    'is shorter than announced': async () => Readable.from([Buffer.from('ab')]),
    'is longer than announced': async () => Readable.from([Buffer.from('abcd')]),
  } satisfies Record<string, () => Promise<Readable>>)) {
    test(`ends with an error if an object ${what}`, async () => {
      await assert.rejects(buffer(createArchive([{ name: 'a', sizeBytes: 3 }], MADE_AT, open)));
    });
  }
});

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += 16_384) yield bytes.subarray(start, start + 16_384);
}

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(16_384);
}

function* broken(): Generator<Buffer> {
  yield Buffer.from('a');
  throw new Error('the store hung up');
}
