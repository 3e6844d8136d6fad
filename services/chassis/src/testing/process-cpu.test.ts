import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { cpuMsOf, findListener } from './process-cpu.ts';

const options = { skip: process.platform !== 'linux' };

test('the process that listens on a port is found, and no process for an unused port', options, async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  assert.equal(await findListener(address.port), process.pid);
  server.close();
  await once(server, 'close');
  assert.equal(await findListener(address.port), undefined);
});

test('the CPU time matches that reported by the process itself', options, async () => {
  const program = (await readFile('/proc/self/comm', 'utf8')).trim();
  const { user, system } = process.cpuUsage();
  const ms = await cpuMsOf(process.pid, program);
  assert.ok(Math.abs(ms - (user + system) / 1_000) < 200, `${ms} ms`);
  assert.equal(await cpuMsOf(process.pid, 'another'), 0);
});
