import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { findExecutable } from '../provision/executable.ts';
import { isAlive, terminate } from '../provision/process-identity.ts';
import { readState } from './engines-state.ts';
import { startEngines } from './start-engines.ts';
import { stopEngines } from './stop-engines.ts';

const skip = findExecutable('redis-server') === undefined && 'redis-server is not installed';

// Redis is enough: it starts at once, and the tested code is the same for every engine.
describe('starting and stopping', { skip }, () => {
  const only = ['redis'] as const;
  let dir: string;
  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'audiosplit-engines-start-')), 'state');
  });
  afterEach(async () => {
    await stopEngines({ dir });
    rmSync(join(dir, '..'), { recursive: true });
  });

  const runningProcess = () => readState(dir).redis?.process ?? assert.fail('Redis runs');

  test('a second start finds the first one, and stopping removes everything', async () => {
    const { redisUrl } = await startEngines({ dir, only });
    const identity = runningProcess();
    assert.equal(readFileSync(join(dir, 'engines.env'), 'utf8'), `REDIS_URL=${redisUrl}\n`);

    assert.deepEqual(await startEngines({ dir, only }), { redisUrl });
    assert.deepEqual(runningProcess(), identity);

    await stopEngines({ dir });
    assert.equal(isAlive(identity), false);
    assert.equal(existsSync(dir), false);
  });

  test('a killed engine restarts on its port', async () => {
    const first = await startEngines({ dir, only });
    const killed = runningProcess();
    await terminate(killed, 'SIGKILL', 1_000);
    assert.deepEqual(await startEngines({ dir, only }), first);
    assert.notDeepEqual(runningProcess(), killed);
  });

  test('an engine that hangs is replaced', async () => {
    const first = await startEngines({ dir, only });
    const hung = runningProcess();
    process.kill(hung.pid, 'SIGSTOP');
    // The suspended process handles SIGTERM once it continues. This saves the ten seconds until SIGKILL.
    const news: string[] = [];
    const report = (_engine: string, message: string) => {
      news.push(message);
      if (message.includes('does not answer')) setTimeout(() => process.kill(hung.pid, 'SIGCONT'), 100);
    };
    assert.deepEqual(await startEngines({ dir, only, report }), first);
    assert.ok(news.some((message) => message.includes('does not answer')));
    assert.equal(isAlive(hung), false);
  });

  test('a port that was taken in between is replaced by another', async () => {
    const first = await startEngines({ dir, only });
    await stopEngines({ dir, keepData: true });
    const squatter = createServer().listen(Number(new URL(first.redisUrl).port), '127.0.0.1');
    await once(squatter, 'listening');
    try {
      const second = await startEngines({ dir, only });
      assert.notEqual(second.redisUrl, first.redisUrl);
    } finally {
      squatter.close();
    }
  });

  test('a failed start shows the log and leaves nothing running', async () => {
    await startEngines({ dir, only });
    await stopEngines({ dir, keepData: true });
    writeFileSync(join(dir, 'redis/dump.rdb'), 'no dump of Redis');
    await assert.rejects(startEngines({ dir, only }), {
      name: 'EngineStartError',
      logTail: /wrong signature/i,
    });
    assert.equal(readState(dir).redis?.process, null);
  });

  test('an aborted start leaves nothing running', async () => {
    const abort = new AbortController();
    const report = (_engine: string, message: string) => {
      if (message.includes('waiting')) abort.abort(new Error('enough'));
    };
    await assert.rejects(startEngines({ dir, only, signal: abort.signal, report }), /enough/);
    assert.equal(readState(dir).redis?.process, null);
  });

  test('stopping without a start does nothing', async () => {
    await stopEngines({ dir });
    assert.equal(existsSync(dir), false);
  });
});
