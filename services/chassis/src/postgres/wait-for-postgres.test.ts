import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StartError } from '../process/lifecycle.ts';
import { createLogger } from '../process/log.ts';
import { type NetworkGate, openNetworkGate } from '../testing/network-gate.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { waitForPostgres } from './wait-for-postgres.ts';

const log = createLogger('test', 'silent');
let database: TestDatabase;
let gate: NetworkGate;
let url: string;

before(async () => {
  database = await createTestDatabase([]);
  const direct = new URL(database.url);
  gate = await openNetworkGate({ hostname: direct.hostname, port: Number(direct.port) });
  direct.hostname = '127.0.0.1';
  direct.port = String(gate.port);
  url = direct.href;
});
after(async () => {
  await gate[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

test('a start continues once the unavailable database accepts connections', async (t) => {
  gate.cut();
  const warn = t.mock.method(log, 'warn', () => gate.heal());
  await waitForPostgres({ url, log });
  assert.equal(warn.mock.callCount(), 1, 'it says once that it waits');
});

test('a database that stays unavailable ends the start with one line that names it, without its password', async () => {
  gate.cut();
  await assert.rejects(waitForPostgres({ url, log, patienceMs: 1 }), (error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, new RegExp(`^Postgres at 127\\.0\\.0\\.1:${gate.port} does not answer`));
    assert.ok(!error.message.includes(new URL(url).password || 'no password'));
    return true;
  });
  gate.heal();
});

test('a database that accepts connections but does not respond is waited for, no longer than others', async () => {
  gate.freeze();
  await assert.rejects(waitForPostgres({ url, log, patienceMs: 50 }), StartError);
  gate.heal();
});

test('a start does not wait for a database that does not exist', async () => {
  const missing = new URL(url);
  missing.pathname = '/nowhere';
  await assert.rejects(waitForPostgres({ url: missing.href, log }), { code: '3D000' });
});
