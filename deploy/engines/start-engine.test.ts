import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findExecutable } from '../provision/executable.ts';
import { terminate } from '../provision/process-identity.ts';
import type { Engine, EngineRecord } from './engine.ts';
import { redis } from './redis.ts';
import { startEngine } from './start-engine.ts';

const skip = findExecutable('redis-server') === undefined && 'redis-server is not installed';

test('a port that is taken between choice and use is replaced, with the same data and secret', {
  skip,
}, async () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'audiosplit-engines-port-'));
  const dir = temporary.path;
  const records: EngineRecord[] = [];
  let squatter: Server | undefined;
  const unlucky: Engine = {
    ...redis,
    async prepare(preparation) {
      if (squatter === undefined) {
        squatter = createServer((socket) => socket.destroy()).listen(preparation.port, '127.0.0.1');
        await once(squatter, 'listening');
      }
      return redis.prepare(preparation);
    },
  };
  try {
    await startEngine({
      engine: unlucky,
      dir,
      previous: undefined,
      signal: new AbortController().signal,
      report: () => {},
      onChange: (record) => records.push(record),
    });
    const [first, last] = [records.at(0), records.at(-1)];
    assert.ok(first && last);
    assert.notEqual(last.port, first.port);
    assert.equal(last.secret, first.secret);
    assert.equal(last.dataDir, first.dataDir);
  } finally {
    squatter?.close();
    for (const { process } of records) if (process) await terminate(process, 'SIGTERM', 5_000);
  }
});
