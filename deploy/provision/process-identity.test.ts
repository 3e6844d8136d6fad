import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { identifyProcess, isAlive, terminate } from './process-identity.ts';

/** A child that has said it is ready, so that its signal handlers are in place. */
async function startChild(program: string): Promise<number> {
  const args = ['-e', `${program};setInterval(() => {}, 1000);console.log('ready')`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  assert.ok(child.pid);
  return child.pid;
}

const identified = (pid: number) => identifyProcess(pid) ?? assert.fail(`${pid} runs`);

test('a process is identified together with its start time', () => {
  const own = identified(process.pid);
  assert.equal(isAlive(own), true);
  assert.equal(isAlive({ ...own, startTicks: own.startTicks + 1 }), false);
});

test('a process with another start time is never signalled', async () => {
  const identity = identified(await startChild(''));
  const other = { ...identity, startTicks: identity.startTicks - 1 };
  assert.equal(await terminate(other, 'SIGKILL', 1_000), 'not running');
  assert.equal(isAlive(identity), true);
  assert.equal(await terminate(identity, 'SIGTERM', 5_000), 'stopped');
  assert.equal(isAlive(identity), false);
});

test('a process that ignores the signal is killed after the grace period', async () => {
  const identity = identified(await startChild("process.on('SIGTERM', () => {})"));
  assert.equal(await terminate(identity, 'SIGTERM', 100), 'killed');
  assert.equal(isAlive(identity), false);
});

test('a name with spaces and parentheses does not shift the fields', async () => {
  const identity = identified(await startChild("process.title = 'a) R 1 (b'"));
  assert.ok(identity.startTicks >= identified(process.pid).startTicks);
  await terminate(identity, 'SIGKILL', 1_000);
});

test('an ended process whose parent has not waited for it counts as ended', async () => {
  // The shell starts a child that ends at once, and then becomes a program that never waits for it.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const childPid = Number(String(line));
  await until(() => identifyProcess(childPid) === null, 'the child has ended', 5_000);
  parent.kill('SIGKILL');
});
