import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { identifyProcess, isAlive } from '../provision/process-identity.ts';
import { forgetRunningState, readRunningState, stopLeftBehind, writeRunningState } from './running-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'audiosplit-state-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function startSleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const identity = identifyProcess(child.pid ?? 0);
  assert.ok(identity !== null);
  return { child, identity };
}

test('processes of a killed run are stopped, but no other process that reuses their pid', async () => {
  const left = startSleeper();
  const stranger = startSleeper();
  const exited = once(left.child, 'exit');
  const supervisor = { pid: 1, startTicks: -1 };
  const reused = { ...stranger.identity, startTicks: stranger.identity.startTicks - 1 };
  try {
    writeRunningState(folder, {
      supervisor,
      processes: [
        { name: 'jobs', ...left.identity },
        { name: 'auth', ...reused },
      ],
    });
    assert.deepEqual(await stopLeftBehind(folder), ['jobs']);
    await exited;
    assert.ok(isAlive(stranger.identity));
  } finally {
    stranger.child.kill();
    left.child.kill();
  }
});

test('only its owner can read the state; a missing or truncated file counts as none', async () => {
  writeRunningState(folder, { supervisor: { pid: 1, startTicks: 1 }, processes: [] });
  assert.equal(statSync(join(folder, 'processes.json')).mode & 0o777, 0o600);
  assert.deepEqual(readRunningState(folder)?.processes, []);
  writeFileSync(join(folder, 'processes.json'), '{"supervisor": {');
  assert.equal(readRunningState(folder), undefined);
  forgetRunningState(folder);
  assert.equal(readRunningState(folder), undefined);
  assert.deepEqual(await stopLeftBehind(folder), []);
});
