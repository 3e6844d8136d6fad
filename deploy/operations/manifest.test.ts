import assert from 'node:assert/strict';
import { appendFile, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DUMP_FILE, IN_FLIGHT_FILE, readManifest, writeManifest } from './manifest.ts';

test('a backup is either complete or not a backup', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'audiosplit-manifest-'));
  const folder = temporary.path;
  await writeFile(join(folder, DUMP_FILE), 'a dump');
  await writeFile(join(folder, IN_FLIGHT_FILE), '');
  await assert.rejects(readManifest(folder), { name: 'StartError', message: /holds no backup/ });
  const written = await writeManifest(folder, {
    takenAt: '2026-11-21T10:00:00.000Z',
    postgresVersion: '17.1',
    schemas: [{ name: 'jobs', role: 'audiosplit_jobs' }],
    migrations: { jobs: ['0001_jobs'] },
    rows: { 'jobs.jobs': 3 },
    bus: 'kafka',
    inFlightEvents: 0,
  });
  assert.deepEqual(await readManifest(folder), written);
  await appendFile(join(folder, DUMP_FILE), '!');
  await assert.rejects(readManifest(folder), { name: 'StartError', message: /database\.dump is damaged/ });
  await rm(join(folder, DUMP_FILE));
  await assert.rejects(readManifest(folder), { name: 'StartError', message: /no such file/ });
});
