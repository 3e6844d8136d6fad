import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { lockState } from '../provision/lock.ts';
import type { EngineRecord } from './engine.ts';
import { endpointsOf, readState, stateFile, writeState } from './engines-state.ts';

describe('the state of engines', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'audiosplit-engines-state-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const redis: EngineRecord = {
    port: 6379,
    secret: 's',
    process: { pid: 1, startTicks: 2 },
    dataDir: '/data',
    logFile: '/log',
    endpoints: { redisUrl: 'redis://127.0.0.1:6379' },
  };

  test('does not exist for a folder without it', () => {
    assert.deepEqual(readState(dir), {});
  });

  test('is read back as written, by its owner only, and leaves no other file', () => {
    writeState(dir, { redis });
    assert.deepEqual(readState(dir), { redis });
    assert.equal(statSync(stateFile(dir)).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dir), ['engines.json']);
  });

  test('is rejected, not overwritten, if it is broken or of another version', () => {
    for (const content of ['{"formatVersion":', '{"formatVersion":2,"engines":{}}', 'null']) {
      writeFileSync(stateFile(dir), content);
      assert.throws(() => readState(dir), /not of this version/);
    }
  });

  test('has no endpoints for a stopped engine', () => {
    const kafka: EngineRecord = { ...redis, process: null, endpoints: { kafkaBrokers: '127.0.0.1:9092' } };
    assert.deepEqual(endpointsOf({ redis, kafka }), { redisUrl: 'redis://127.0.0.1:6379' });
  });

  test('has one owner per folder at a time, for any spelling of the path', async () => {
    {
      await using _lock = await lockState(dir);
      await assert.rejects(lockState(join(dir, '.')), {
        name: 'ProvisionError',
        message: /another start or stop/,
      });
    }
    await using _again = await lockState(dir);
  });
});
