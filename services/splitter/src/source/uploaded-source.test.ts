import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { signLink } from '@audiosplit/chassis/secrets/signed-url';
import { createLocalFileReader } from '../media/source/local-file.ts';
import { createUploadedSources } from './uploaded-source.ts';

const SECRET = 'a download secret of more than 32 bytes';
const NOW = new Date('2026-01-01T00:00:00Z');

test('an upload that breaks before it is read fails the reading, and nothing else', async () => {
  const body = new PassThrough();
  const store: Pick<ObjectStore, 'get'> = {
    get: async () => ({ key: 'k', body, sizeBytes: 10, contentType: 'audio/mpeg', modifiedAt: NOW }),
  };
  const uploads = createUploadedSources({
    store: store as ObjectStore,
    publicBaseUrl: 'https://split.example',
    secret: SECRET,
    clock: () => NOW,
  });
  const link = signLink(
    { method: 'GET', path: '/uploads/one.mp3' },
    new Date(NOW.getTime() + 60_000),
    SECRET,
  );
  await using source = await uploads.open(`https://split.example${link}`, {
    maxBytes: 100,
    signal: new AbortController().signal,
  });
  body.destroy(new Error('the store hung up'));
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(async () => {
    for await (const _ of source.body) assert.fail('there is nothing to read');
  }, /the store hung up/);
});

test('an upload can be read a second time, unless it has been replaced meanwhile', async () => {
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
    secret: SECRET,
    clock: () => NOW,
  });
  const expiresAt = new Date(NOW.getTime() + 60_000);
  const link = signLink({ method: 'GET', path: '/uploads/one.mp3' }, expiresAt, SECRET);
  const { signal } = new AbortController();
  await using source = await uploads.open(`https://split.example${link}`, { maxBytes: 100, signal });
  const textOf = async (chunks: AsyncIterable<Uint8Array> | undefined) =>
    Buffer.concat(await Array.fromAsync(chunks ?? [])).toString();
  assert.equal(await textOf(source.body), 'sound');
  assert.equal(await textOf(source.reopen?.()), 'sound');
  modifiedAt = new Date(NOW.getTime() + 1);
  await assert.rejects(textOf(source.reopen?.()), /replaced while it was being split/);
});

test('an upload that lies on this machine tells where, and since when', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'audiosplit-uploads-'));
  try {
    await using store = await openFileObjectStore({ directory });
    const { modifiedAt } = await store.put('uploads/one.mp3', Readable.from(['sound']), {
      contentType: 'audio/mpeg',
    });
    const uploads = createUploadedSources({
      store,
      publicBaseUrl: 'https://split.example',
      secret: SECRET,
      clock: () => NOW,
    });
    const expiresAt = new Date(NOW.getTime() + 60_000);
    const link = signLink({ method: 'GET', path: '/uploads/one.mp3' }, expiresAt, SECRET);
    const { signal } = new AbortController();
    await using source = await uploads.open(`https://split.example${link}`, { maxBytes: 100, signal });
    assert.ok(source.file !== undefined);
    assert.equal(source.file.modifiedAtMs, modifiedAt.getTime());
    const read = await Array.fromAsync(createLocalFileReader(source.file).chunks());
    assert.equal(Buffer.concat(read).toString(), 'sound');
  } finally {
    await rm(directory, { recursive: true });
  }
});
