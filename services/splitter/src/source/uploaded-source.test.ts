import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { createLocalFileReader } from '@audiosplit/engine/source/local-file';
import { createUploadedSources } from './uploaded-source.ts';

const UPLOAD = {
  key: 'uploads/acc_1/one.mp3',
  url: 'https://split.example/uploads/acc_1/one.mp3?signature=abc',
  accountId: 'acc_1',
};
const NOW = new Date('2026-01-01T00:00:00Z');

test('an upload that breaks before it is read fails only the read', async () => {
  const body = new PassThrough();
  const store: Pick<ObjectStore, 'get'> = {
    get: async () => ({ key: 'k', body, sizeBytes: 10, contentType: 'audio/mpeg', modifiedAt: NOW }),
  };
  const uploads = createUploadedSources({
    store: store as ObjectStore,
    publicBaseUrl: 'https://split.example',
  });
  await using source = await uploads.open(UPLOAD, {
    maxBytes: 100,
    signal: new AbortController().signal,
  });
  body.destroy(new Error('the store hung up'));
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(async () => {
    for await (const _ of source.body) assert.fail('there is nothing to read');
  }, /the store hung up/);
});

test('an upload can be read a second time unless it has been replaced in between', async () => {
  let modifiedAt = NOW;
  const store: Pick<ObjectStore, 'get'> = {
    get: async (key) => ({
      key,
      body: Readable.from([Buffer.from('sou'), Buffer.from('nd')]),
      sizeBytes: 5,
      contentType: 'audio/mpeg',
      modifiedAt,
    }),
  };
  const uploads = createUploadedSources({
    store: store as ObjectStore,
    publicBaseUrl: 'https://split.example',
  });
  const { signal } = new AbortController();
  await using source = await uploads.open(UPLOAD, { maxBytes: 100, signal });
  const textOf = async (chunks: AsyncIterable<Uint8Array> | undefined) =>
    Buffer.concat(await Array.fromAsync(chunks ?? [])).toString();
  assert.equal(await textOf(source.body), 'sound');
  assert.equal(await textOf(source.reopen?.()), 'sound');
  modifiedAt = new Date(NOW.getTime() + 1);
  await assert.rejects(textOf(source.reopen?.()), /replaced while it was being split/);
});

test('an upload on this machine gives its path and time of modification', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'audiosplit-uploads-'));
  try {
    await using store = await openFileObjectStore({ directory });
    const { modifiedAt } = await store.put(UPLOAD.key, Readable.from(['sound']), {
      contentType: 'audio/mpeg',
    });
    const uploads = createUploadedSources({
      store,
      publicBaseUrl: 'https://split.example',
    });
    const { signal } = new AbortController();
    await using source = await uploads.open(UPLOAD, { maxBytes: 100, signal });
    assert.ok(source.file !== undefined);
    assert.equal(source.file.modifiedAtMs, modifiedAt.getTime());
    const read = await Array.fromAsync(createLocalFileReader(source.file).chunks());
    assert.equal(Buffer.concat(read).toString(), 'sound');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('only uploads of the job’s own account are opened, for any link', async () => {
  const store: Pick<ObjectStore, 'get' | 'head'> = {
    get: () => assert.fail('the store is not asked'),
    head: () => assert.fail('the store is not asked'),
  };
  const uploads = createUploadedSources({
    store: store as ObjectStore,
    publicBaseUrl: 'https://split.example',
  });
  const options = { maxBytes: 100, signal: new AbortController().signal };
  for (const key of [
    'uploads/acc_2/one.mp3',
    'uploads/acc_1',
    'uploads/acc_10/one.mp3',
    'jobs/job_1/1/one.mp3',
    '',
  ]) {
    await assert.rejects(uploads.open({ ...UPLOAD, key }, options), /not one that was given out/, key);
  }
  await assert.rejects(uploads.sizeOf('jobs/job_1/1/one.mp3'), /not one that was given out/);
});

test('a job of an earlier release refers to its upload by a link below the public address', () => {
  const uploads = createUploadedSources({
    store: {} as ObjectStore,
    publicBaseUrl: 'https://split.example/',
  });
  assert.equal(uploads.keyOf(UPLOAD.url), UPLOAD.key);
  assert.equal(uploads.keyOf('https://split.example/uploads/acc_1/a%20b.mp3?x=1'), 'uploads/acc_1/a b.mp3');
  for (const url of [
    'https://other.example/uploads/acc_1/one.mp3',
    'http://split.example/uploads/acc_1/one.mp3',
    'https://split.example/downloads/jobs/one.mp3',
    'one.mp3',
  ]) {
    assert.equal(uploads.keyOf(url), undefined, url);
  }
});
