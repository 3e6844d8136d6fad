/** The promises of object-store.ts as tests, for every adapter. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { access, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { testPartsContract } from './object-parts.contract.ts';
import {
  InvalidObjectKeyError,
  type ListedObject,
  ObjectNotFoundError,
  type ObjectStore,
} from './object-store.ts';

const AUDIO = { contentType: 'audio/mpeg' };

/** `open` is called once; all objects are below one random prefix, which is deleted at the end. */
export function testObjectStoreContract(name: string, open: () => Promise<ObjectStore>): void {
  describe(`object store on ${name}`, async () => {
    const store = await open();
    const root = `contract-${randomBytes(6).toString('hex')}/`;
    let folders = 0;
    const newPrefix = () => `${root}${folders++}/`;
    const put = (key: string, content: string | Buffer = key) =>
      store.put(key, Readable.from([Buffer.from(content)]), AUDIO);
    const keysBelow = async (prefix: string) => {
      const objects = await listBelow(store, prefix);
      return objects.map((object) => object.key.slice(prefix.length));
    };

    after(async () => {
      await store.deletePrefix(root);
      await store[Symbol.asyncDispose]();
    });

    test('returns the stored bytes with their metadata', async () => {
      const key = `${newPrefix()}Überraschung & mehr +100%.mp3`;
      const content = randomBytes(100_000);
      const before = Date.now();
      const stored = await store.put(
        key,
        Readable.from([content.subarray(0, 7), content.subarray(7)]),
        AUDIO,
      );
      const head = await store.head(key);
      const { body, ...got } = await store.get(key);
      assert.deepEqual(await buffer(body), content);
      for (const object of [stored, head, got]) {
        assert.equal(object.key, key);
        assert.equal(object.sizeBytes, content.byteLength);
        assert.equal(object.contentType, 'audio/mpeg');
        assert.ok(Math.abs(object.modifiedAt.getTime() - before) < 60_000);
      }
    });

    test('keeps empty objects', async () => {
      const key = `${newPrefix()}empty`;
      await store.put(key, Readable.from([]), AUDIO);
      const { body, sizeBytes, contentType } = await store.get(key);
      assert.equal((await buffer(body)).byteLength, 0);
      assert.equal(sizeBytes, 0);
      assert.equal(contentType, 'audio/mpeg');
    });

    test('stores an object of a known length', async () => {
      const key = `${newPrefix()}known`;
      const block = randomBytes(1_000_003);
      const sizeBytes = 12 * block.byteLength;
      const stored = await store.put(key, Readable.from(repeat(block, 12)), { ...AUDIO, sizeBytes });
      assert.equal(stored.sizeBytes, sizeBytes);
      const seam = 11 * block.byteLength;
      const { body, contentType } = await store.get(key, { firstByte: seam, lastByte: sizeBytes - 1 });
      assert.deepEqual([contentType, await buffer(body)], ['audio/mpeg', block]);
    });

    test('stores an object of a known length that arrives in pieces of any size', async () => {
      const key = `${newPrefix()}pieces`;
      const content = randomBytes(3_000_000);
      const ends = [1, 9, 5_000, 5_001, 70_000, 72_000, 200_000, 201_000, content.byteLength];
      const pieces = ends.map((end, n) => content.subarray(ends[n - 1] ?? 0, end));
      await store.put(key, Readable.from(pieces), { ...AUDIO, sizeBytes: content.byteLength });
      assert.deepEqual(await buffer((await store.get(key)).body), content);
    });

    test('a body that fails or is shorter than announced stores no object', async () => {
      const prefix = newPrefix();
      const content = randomBytes(100_000);
      const failing = async function* () {
        yield content;
        throw new Error('broken off');
      };
      for (const body of [Readable.from([content]), Readable.from(failing())]) {
        await assert.rejects(
          store.put(`${prefix}short`, body, { ...AUDIO, sizeBytes: 200_000 }),
          /announced|broken off/,
        );
      }
      assert.deepEqual(await keysBelow(prefix), []);
    });

    test('stores objects of many parts', async () => {
      const key = `${newPrefix()}large`;
      const block = randomBytes(1_000_003);
      const stored = await store.put(key, Readable.from(repeat(block, 20)), AUDIO);
      assert.equal(stored.sizeBytes, 20 * block.byteLength);
      const seam = 17 * block.byteLength;
      const { body } = await store.get(key, { firstByte: seam, lastByte: seam + block.byteLength - 1 });
      assert.deepEqual(await buffer(body), block);
    });

    test('replaces an object including its type', async () => {
      const key = `${newPrefix()}replaced`;
      await put(key, 'a long first version');
      await store.put(key, Readable.from(['second']), { contentType: 'text/plain' });
      const { body, contentType } = await store.get(key);
      assert.equal((await buffer(body)).toString(), 'second');
      assert.equal(contentType, 'text/plain');
    });

    test('reads ranges, and rejects those outside the object', async () => {
      const key = `${newPrefix()}ranges`;
      await put(key, '0123456789');
      const read = async (firstByte: number, lastByte: number) => {
        const { body, sizeBytes } = await store.get(key, { firstByte, lastByte });
        assert.equal(sizeBytes, 10);
        return (await buffer(body)).toString();
      };
      assert.equal(await read(0, 9), '0123456789');
      assert.equal(await read(0, 0), '0');
      assert.equal(await read(3, 5), '345');
      assert.equal(await read(9, 9), '9');
      for (const [first, last] of [
        [5, 10],
        [10, 10],
        [6, 5],
        [-1, 3],
      ] as const) {
        await assert.rejects(store.get(key, { firstByte: first, lastByte: last }), RangeError);
      }
    });

    test('releases a body that is not read to its end', async () => {
      const key = `${newPrefix()}unread`;
      await put(key, randomBytes(300_000));
      const { body } = await store.get(key);
      body.destroy();
      await store.delete([key]);
    });

    test('reports a missing object', async () => {
      const key = `${newPrefix()}nothing`;
      const isNotFound = (error: unknown) => error instanceof ObjectNotFoundError && error.key === key;
      await assert.rejects(store.get(key), isNotFound);
      await assert.rejects(store.get(key, { firstByte: 0, lastByte: 1 }), isNotFound);
      await assert.rejects(store.head(key), isNotFound);
      await store.delete([key]);
    });

    test('lists the objects below a prefix, in the order of their keys', async () => {
      const prefix = newPrefix();
      const names = ['a-b', 'a/b', 'a/b-c', 'a/c/d', 'a0', 'ab', 'b', 'ä', 'B'];
      for (const key of names) await put(prefix + key, 'x'.repeat(key.length));
      await put(`${prefix.slice(0, -1)}-beside`);
      const expected = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(await keysBelow(prefix), expected);
      assert.deepEqual(await keysBelow(`${prefix}a/`), ['b', 'b-c', 'c/d']);
      assert.deepEqual(await keysBelow(`${prefix}none/`), []);
      const [first] = await listBelow(store, prefix);
      assert.equal(first?.sizeBytes, 1);
      assert.ok(first.modifiedAt.getTime() > Date.now() - 600_000);
    });

    test('deletes the given keys, or all objects below a prefix, and nothing else', async () => {
      const prefix = newPrefix();
      const names = ['job/0', 'job/1', 'job/deep/er/2', 'job-2', 'other/3'];
      for (const key of names) await put(prefix + key);
      await store.delete([`${prefix}job/0`, `${prefix}not-there`]);
      assert.deepEqual(await keysBelow(`${prefix}job/`), ['1', 'deep/er/2']);
      await store.deletePrefix(`${prefix}job/`);
      await store.deletePrefix(`${prefix}job/`);
      assert.deepEqual(await keysBelow(prefix), ['job-2', 'other/3']);
    });

    test('lists and deletes more objects than fit one page', async () => {
      const prefix = newPrefix();
      const names = Array.from({ length: 1_050 }, (_, index) => String(index).padStart(5, '0'));
      for (let start = 0; start < names.length; start += 50) {
        await Promise.all(names.slice(start, start + 50).map((key) => put(prefix + key, '')));
      }
      assert.deepEqual(await keysBelow(prefix), names);
      await store.deletePrefix(prefix);
      assert.deepEqual(await keysBelow(prefix), []);
    });

    for (const blocks of [1, 12]) {
      const size = `${blocks} MB`;

      test(`a put whose body fails after ${size} leaves nothing, or the previous object`, async () => {
        const prefix = newPrefix();
        const failing = () =>
          Readable.from(
            (async function* () {
              yield* repeat(Buffer.alloc(1_000_000), blocks);
              throw new Error('the source broke');
            })(),
          );
        await assert.rejects(store.put(`${prefix}new`, failing(), AUDIO), /the source broke/);
        assert.deepEqual(await keysBelow(prefix), []);
        await put(`${prefix}old`, 'kept');
        await assert.rejects(store.put(`${prefix}old`, failing(), AUDIO), /the source broke/);
        const { body } = await store.get(`${prefix}old`);
        assert.equal((await buffer(body)).toString(), 'kept');
      });

      test(`a put that is aborted after ${size} leaves nothing and destroys its body`, async () => {
        const prefix = newPrefix();
        const controller = new AbortController();
        let left = blocks;
        const body = new Readable({
          read() {
            if (left > 0) this.push(Buffer.alloc(1_000_000));
            else controller.abort(new Error('canceled'));
            left -= 1;
          },
        });
        const putting = store.put(`${prefix}key`, body, { ...AUDIO, signal: controller.signal });
        await assert.rejects(putting, { name: 'AbortError' });
        assert.ok(body.destroyed);
        assert.deepEqual(await keysBelow(prefix), []);
      });
    }

    // The larger one exceeds a part of an upload.
    for (const sizeBytes of [0, 100_000, 9_000_000]) {
      // Covers B-5.8
      test(`takes a file of ${sizeBytes} bytes over`, async () => {
        await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-put-'));
        const [path, key] = [join(folder.path, 'segment.mp3'), `${newPrefix()}segment.mp3`];
        const content = randomBytes(sizeBytes);
        await writeFile(path, content);
        const stored = await store.putFile(key, path, AUDIO);
        const { body, contentType } = await store.get(key);
        assert.deepEqual(await buffer(body), content);
        assert.deepEqual([stored.sizeBytes, contentType], [sizeBytes, 'audio/mpeg']);
        await assert.rejects(access(path), { code: 'ENOENT' });
      });
    }

    test('files that are stored at the same time keep their own bytes', async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-put-'));
      const prefix = newPrefix();
      const contents = Array.from({ length: 20 }, (_, n) => Buffer.alloc(100_000 - n, n));
      for (const batch of [contents.slice(0, 10), contents.slice(10)]) {
        const putting = batch.map(async (content) => {
          const path = join(folder.path, String(content[0]));
          await writeFile(path, content);
          await store.putFile(`${prefix}${content[0]}`, path, AUDIO);
        });
        await Promise.all(putting);
      }
      for (const content of contents)
        assert.deepEqual(await buffer((await store.get(`${prefix}${content[0]}`)).body), content);
    });

    test('a missing file, and an aborted put of a file, store no object', async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-put-'));
      const [path, prefix] = [join(folder.path, 'segment.mp3'), newPrefix()];
      await assert.rejects(store.putFile(`${prefix}missing`, path, AUDIO), { code: 'ENOENT' });
      await writeFile(path, 'content');
      const options = { ...AUDIO, signal: AbortSignal.abort() };
      await assert.rejects(store.putFile(`${prefix}aborted`, path, options), { name: 'AbortError' });
      assert.deepEqual(await keysBelow(prefix), []);
    });

    test('a put that is aborted beforehand does nothing', async () => {
      const key = `${newPrefix()}key`;
      const body = Readable.from(['content']);
      const options = { ...AUDIO, signal: AbortSignal.abort() };
      await assert.rejects(store.put(key, body, options), { name: 'AbortError' });
      assert.ok(body.destroyed);
      await assert.rejects(store.head(key), ObjectNotFoundError);
    });

    for (const key of [
      '',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/./b',
      'a\u0000',
      'a\nb',
      'a\\b',
      'a\ud800',
      'a'.repeat(251),
    ]) {
      test(`rejects the key ${JSON.stringify(key).slice(0, 20)}`, async () => {
        const body = Readable.from(['x']);
        await assert.rejects(store.put(key, body, AUDIO), InvalidObjectKeyError);
        assert.ok(body.destroyed);
        await assert.rejects(store.get(key), InvalidObjectKeyError);
        await assert.rejects(store.head(key), InvalidObjectKeyError);
        await assert.rejects(store.delete([key]), InvalidObjectKeyError);
      });
    }

    for (const prefix of ['', '/', 'a', '../', 'a//']) {
      test(`rejects the prefix ${JSON.stringify(prefix)}`, async () => {
        await assert.rejects(listBelow(store, prefix), InvalidObjectKeyError);
        await assert.rejects(store.deletePrefix(prefix), InvalidObjectKeyError);
      });
    }

    testPartsContract(store, newPrefix);

    test('passes its check', () => store.check());
  });
}

export async function listBelow(store: ObjectStore, prefix: string): Promise<ListedObject[]> {
  const objects: ListedObject[] = [];
  for await (const object of store.list(prefix)) objects.push(object);
  return objects;
}

function* repeat(block: Buffer, times: number): Generator<Buffer> {
  for (let count = 0; count < times; count++) yield block;
}
