import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAudiosplit } from '@audiosplit/client';
import { downloadSegment } from './download-segment.ts';

const BYTES = 'as if it were sound';

test('a file has the name given by the API, and is in no other folder', async (context) => {
  context.mock.method(globalThis, 'fetch', async () => new Response(BYTES));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-download-'));
  const client = createAudiosplit({ baseUrl: 'http://api.example.com' });
  const download = (fileName: string) =>
    downloadSegment(
      client,
      {
        index: 0,
        downloadUrl: 'http://api.example.com/downloads/0.mp3',
        startTime: 0,
        endTime: 1,
        duration: 1,
        fileName,
        size: BYTES.length,
      },
      { folder: folder.path, signal: new AbortController().signal, onBytes: () => undefined },
    );
  const names = ['1 Willkommen, Überblick.mp3', '.hidden (2).mp3'];
  for (const name of names) assert.equal((await download(name)).file, name);
  for (const name of ['', '..', '../a.mp3', 'a/b.mp3', 'a\\b.mp3', 'a\nb.mp3']) {
    await assert.rejects(download(name), /without a usable file name/, name);
  }
  assert.deepEqual((await readdir(folder.path)).sort(), names.sort());
  assert.equal(await readFile(join(folder.path, names[0] ?? ''), 'utf8'), BYTES);
});
