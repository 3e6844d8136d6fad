import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdDataDir } from './data-dir.ts';

test('one of two starts that find the socket of a killed instance gets the folder', async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'audiosplit-hold-'));
  const folder = temporary.path;
  const leaveSocket = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  for (let round = 0; round < 12; round++) {
    spawnSync(process.execPath, ['-e', leaveSocket, join(folder, 'instance.sock')]);
    const starts = await Promise.allSettled([holdDataDir(folder), holdDataDir(folder)]);
    const holds = starts.filter((start) => start.status === 'fulfilled');
    for (const hold of holds) await hold.value[Symbol.asyncDispose]();
    assert.equal(holds.length, 1, `round ${round}`);
  }
});
