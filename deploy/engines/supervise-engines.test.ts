import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { findExecutable } from '../provision/executable.ts';
import { isAlive } from '../provision/process-identity.ts';
import { readState } from './engines-state.ts';
import { startEngines } from './start-engines.ts';
import { stopEngines } from './stop-engines.ts';
import { superviseEngines } from './supervise-engines.ts';

const skip = findExecutable('redis-server') === undefined && 'redis-server is not installed';

test('a killed engine is restarted on its port while it is supervised', { skip }, async () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'audiosplit-engines-supervised-'));
  const dir = temporary.path;
  const running = () => readState(dir).redis?.process ?? assert.fail('Redis runs');
  try {
    const { redisUrl } = await startEngines({ dir, only: ['redis'] });
    const supervision = superviseEngines({ dir, engines: ['redis'], report: () => {} });
    const killed = running();
    process.kill(killed.pid, 'SIGKILL');
    await until(() => supervision.restarts('redis') === 1, 'a restart');
    assert.notDeepEqual(running(), killed);
    assert.equal(readState(dir).redis?.endpoints.redisUrl, redisUrl);

    await supervision[Symbol.asyncDispose]();
    assert.ok(isAlive(running()), 'watching ends, the engine goes on');
  } finally {
    await stopEngines({ dir });
  }
});
