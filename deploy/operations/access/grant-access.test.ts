import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '@audiosplit/chassis/postgres/migrate';
import { roleOf } from '@audiosplit/chassis/postgres/pool';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import pg from 'pg';
import { runOperatorCommand } from '../commands.ts';
import { grantAccess, grantDatabase } from './grant-access.ts';

const PASSWORDS = { granted: 'a', other: 'b' };

test('a service creates its own schemas with its own login, sees no others, and the command can be repeated', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-grants-'));
  await writeFile(join(folder.path, '0001_things.sql'), 'create table things (id integer)');
  await using database = await createTestDatabase([]);
  const urlOf = (service: keyof typeof PASSWORDS) => {
    const url = new URL(database.url);
    url.username = roleOf(service);
    url.password = PASSWORDS[service];
    return url.href;
  };
  await grantDatabase(database.url, PASSWORDS);
  for (const service of ['granted', 'other'] as const)
    await migrate({ url: urlOf(service), schema: service, migrationsDir: folder.path });
  await grantDatabase(database.url, PASSWORDS);
  const client = new pg.Client({ connectionString: urlOf('granted') });
  await client.connect();
  try {
    await client.query('insert into granted.things (id) values (1)');
    await assert.rejects(client.query('select from other.things'), /permission denied/);
    await assert.rejects(client.query(`set role ${roleOf('other')}`), /permission denied/);
  } finally {
    await client.end();
  }
});

test('an engine that does not respond in time is named', async () => {
  const grant = grantAccess({
    kafka: { brokers: ['127.0.0.1:1'] },
    storage: { kind: 's3', bucket: 'audiosplit', endpoint: 'http://127.0.0.1:1', region: 'us-east-1' },
    patienceMs: 0,
  });
  await assert.rejects(grant, { name: 'StartError', message: /^(Kafka|the object store): / });
});

test('the command names what is missing', async () => {
  const run = (env = {}) => runOperatorCommand(['grant-access'], env, assert.fail);
  await assert.rejects(run(), /^StartError: usage: /);
  await assert.rejects(run({ DATABASE_URL: 'postgres://localhost/x' }), /BILLING_DATABASE_PASSWORD/);
  await assert.rejects(run({ STORAGE_URL: 'file:///data' }), /is a folder/);
});
