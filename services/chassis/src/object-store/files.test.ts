import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { openFileObjectStore } from './files.ts';
import { listBelow, testObjectStoreContract } from './object-store.contract.ts';

const directory = await mkdtemp(join(tmpdir(), 'audiosplit-files-'));
after(() => rm(directory, { recursive: true }));

testObjectStoreContract('files', () => openFileObjectStore({ directory: join(directory, 'contract') }));

const TEXT = { contentType: 'text/plain' };

test('an object and a folder can have the same name', async () => {
  await using store = await openFileObjectStore({ directory: join(directory, 'beside') });
  for (const key of ['root/a', 'root/a/b', 'root/+a']) await store.put(key, Readable.from([key]), TEXT);
  for (const key of ['root/a', 'root/a/b', 'root/+a']) {
    assert.equal(await text((await store.get(key)).body), key);
  }
});

test('a whole object returns the path of the file that begins with its bytes', async () => {
  await using store = await openFileObjectStore({ directory: join(directory, 'paths') });
  await store.put('root/a', Readable.from(['some bytes']), TEXT);
  const { path, sizeBytes, modifiedAt, body } = await store.get('root/a');
  body.destroy();
  assert.ok(path !== undefined);
  assert.equal((await readFile(path)).toString('latin1', 0, sizeBytes), 'some bytes');
  assert.deepEqual((await stat(path)).mtime, modifiedAt);
  const part = await store.get('root/a', { firstByte: 1, lastByte: 2 });
  part.body.destroy();
  assert.equal(part.path, undefined);
});

test('folders are deleted with their last object, and failed puts leave nothing', async () => {
  const root = join(directory, 'emptied');
  await using store = await openFileObjectStore({ directory: root });
  await store.put('jobs/one/0', Readable.from(['0']), TEXT);
  await store.put('jobs/two/0', Readable.from(['0']), TEXT);
  await store.delete(['jobs/one/0']);
  assert.deepEqual(await readdir(join(root, 'objects/+jobs')), ['+two']);
  await store.deletePrefix('jobs/two/');
  assert.deepEqual(await readdir(join(root, 'objects')), []);
  const failing = new Readable({ read: () => failing.destroy(new Error('broken')) });
  await assert.rejects(store.put('jobs/three/0', failing, TEXT), /broken/);
  assert.deepEqual(await readdir(join(root, 'objects')), []);
  assert.deepEqual(await readdir(join(root, 'incoming')), []);
});

test('puts and deletes in one folder do not disturb each other', async () => {
  await using store = await openFileObjectStore({ directory: join(directory, 'busy') });
  const churn = async (key: string) => {
    for (let round = 0; round < 40; round++) {
      await store.put(key, Readable.from([key]), TEXT);
      await store.delete([key]);
    }
  };
  await Promise.all(['jobs/a/0', 'jobs/a/1', 'jobs/b/0'].map(churn));
  assert.deepEqual(await listBelow(store, 'jobs/'), []);
});

test('files left behind by a crash are removed a day later', async () => {
  const root = join(directory, 'crashed');
  await (await openFileObjectStore({ directory: root }))[Symbol.asyncDispose]();
  for (const name of ['old', 'young']) await writeFile(join(root, 'incoming', name), 'part of an object');
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  await utimes(join(root, 'incoming/old'), twoDaysAgo, twoDaysAgo);
  await (await openFileObjectStore({ directory: root }))[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(join(root, 'incoming')), ['young']);
});
