/** The promises of object-store.ts about objects that arrive in parts, for every adapter. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { MultipartNotFoundError, ObjectNotFoundError, type ObjectStore } from './object-store.ts';

/** The minimum size of a part that is not the last. */
const PART_BYTES = 5 * 1024 * 1024;

export function testPartsContract(store: ObjectStore, newPrefix: () => string): void {
  const begin = async (key: string) => ({
    key,
    multipartId: await store.beginMultipart(key, { contentType: 'audio/mpeg' }),
  });
  const chunked = (content: Buffer) =>
    Readable.from([content.subarray(0, 10), content.subarray(10, 70_000), content.subarray(70_000)]);

  test('an object in parts exists once it is completed, in the order of the part numbers', async () => {
    const multipart = await begin(`${newPrefix()}parts.mp3`);
    const put = async (number: number, content: Buffer) => ({
      number,
      tag: await store.putPart({ ...multipart, number }, chunked(content), content.byteLength),
    });
    const [first, second, last] = [randomBytes(PART_BYTES), randomBytes(PART_BYTES), randomBytes(100_000)];
    const parts = [await put(7, last), await put(1, first), await put(4, second)];
    await put(9, randomBytes(80_000));
    await assert.rejects(store.head(multipart.key), ObjectNotFoundError);
    await store.completeMultipart(
      multipart,
      parts.toSorted((a, b) => a.number - b.number),
    );
    const { body, contentType, sizeBytes } = await store.get(multipart.key);
    assert.deepEqual([contentType, sizeBytes], ['audio/mpeg', 2 * PART_BYTES + 100_000]);
    assert.ok((await buffer(body)).equals(Buffer.concat([first, second, last])));
    // S3 accepts a repeat for some time.
    await store.completeMultipart(multipart, parts).catch((error) => {
      assert.ok(error instanceof MultipartNotFoundError);
    });
    assert.equal((await store.head(multipart.key)).sizeBytes, sizeBytes);
  });

  test('a part that fails or is shorter than announced does not count', async () => {
    const multipart = await begin(`${newPrefix()}short.mp3`);
    const failing = async function* () {
      yield Buffer.alloc(1_000);
      throw new Error('broken off');
    };
    for (const body of [Readable.from([Buffer.alloc(99_000)]), Readable.from(failing())]) {
      await assert.rejects(store.putPart({ ...multipart, number: 1 }, body, 100_000), /announced|broken off/);
      assert.ok(body.destroyed);
    }
    const made = { number: 1, tag: '"made-up"' };
    await assert.rejects(store.completeMultipart(multipart, [made]), MultipartNotFoundError);
    await assert.rejects(store.head(multipart.key), ObjectNotFoundError);
  });

  test('aborting a prefix drops the parts of all uploads below it, and nothing else', async () => {
    const prefix = newPrefix();
    const [inside, outside] = [await begin(`${prefix}a/b.mp3`), await begin(`${prefix}ab/b.mp3`)];
    const put = (multipart: typeof inside) =>
      store.putPart({ ...multipart, number: 1 }, Readable.from([Buffer.from('audio')]), 5);
    await put(inside);
    await store.abortMultiparts(`${prefix}a/`);
    await store.abortMultiparts(`${prefix}a/`);
    await store.completeMultipart(outside, [{ number: 1, tag: await put(outside) }]);
    assert.equal((await store.head(outside.key)).sizeBytes, 5);
    // MultipartNotFoundError, except for servers that return no reason.
    await assert.rejects(put(inside));
  });

  test('a rejected part does not affect later requests', async () => {
    for (let round = 0; round < 40; round++) {
      const prefix = newPrefix();
      const multipart = { ...(await begin(`${prefix}gone.mp3`)), number: 1 };
      await store.putPart(multipart, Readable.from([Buffer.from('audio')]), 5);
      await store.abortMultiparts(prefix);
      await assert.rejects(store.putPart(multipart, Readable.from([Buffer.from('audio')]), 5));
    }
  });
}
