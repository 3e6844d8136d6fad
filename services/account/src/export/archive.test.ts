import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { type ArchiveEntry, packArchive } from './archive.ts';
import { readArchive } from './read-archive.fixture.ts';

const CREATED_AT = new Date('2026-03-14T09:26:53Z');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function* chunks(...given: readonly (string | Buffer)[]) {
  yield* given;
}

async function* entriesOf(
  files: Readonly<Record<string, readonly (string | Buffer)[]>>,
): AsyncGenerator<ArchiveEntry> {
  for (const [path, content] of Object.entries(files)) yield { path, content: chunks(...content) };
}

describe('an archive', () => {
  it('contains its files and a matching manifest, and returns its own digest', async () => {
    const noise = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 31) % 251));
    const archive = packArchive(
      entriesOf({ 'a.json': ['[', 'Grüße', ']'], 'folder/b.pdf': [noise, noise], 'empty.csv': [] }),
      { format: 'json' },
      CREATED_AT,
    );
    const bytes = await buffer(archive.body);
    assert.deepEqual(archive.digest(), { sizeBytes: bytes.length, sha256: sha256(bytes) });

    const files = await readArchive(bytes);
    assert.deepEqual([...files.keys()], ['a.json', 'folder/b.pdf', 'empty.csv', 'manifest.json']);
    assert.equal(files.get('a.json')?.toString(), '[Grüße]');
    assert.deepEqual(files.get('folder/b.pdf'), Buffer.concat([noise, noise]));
    const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '');
    files.delete('manifest.json');
    assert.deepEqual(manifest, {
      format: 'json',
      createdAt: CREATED_AT.toISOString(),
      files: Array.from(files, ([path, content]) => ({
        path,
        sizeBytes: content.length,
        sha256: sha256(content),
      })),
    });
  });

  it('is produced at the speed of its reader, at most a few buffers ahead', async () => {
    let produced = 0;
    async function* endless() {
      const block = Buffer.alloc(65_536);
      for (;;) {
        // Data that does not compress fills the pipes with its full size.
        for (let n = 0; n < block.length; n += 4)
          block.writeUInt32LE(Math.imul(n + produced, 2_654_435_761) >>> 0, n);
        produced += block.length;
        yield Buffer.from(block);
      }
    }
    async function* entries() {
      yield { path: 'endless', content: endless() };
    }
    const { body } = packArchive(entries(), {}, CREATED_AT);
    let read = 0;
    for await (const chunk of body) {
      read += (chunk as Buffer).length;
      assert.ok(produced < read + 4 * 2 ** 20, `${produced} bytes read ahead of ${read}`);
      if (read > 16 * 2 ** 20) break;
    }
    assert.ok(body.destroyed);
  });

  it('fails with the error of a file, and closes that file', async () => {
    let released = false;
    async function* failing() {
      try {
        yield 'first';
        throw new Error('the source broke');
      } finally {
        released = true;
      }
    }
    async function* entries() {
      yield { path: 'a', content: failing() };
    }
    await assert.rejects(buffer(packArchive(entries(), {}, CREATED_AT).body), /the source broke/);
    assert.ok(released);
  });

  it('closes its sources when its reader stops', async () => {
    const released = Promise.withResolvers<void>();
    async function* endless() {
      try {
        for (;;) yield Buffer.from(String(Math.random()).repeat(10_000));
      } finally {
        released.resolve();
      }
    }
    async function* entries() {
      yield { path: 'a', content: endless() };
    }
    const { body } = packArchive(entries(), {}, CREATED_AT);
    await new Promise((resolve) => body.once('data', resolve));
    body.destroy();
    await released.promise;
  });
});
