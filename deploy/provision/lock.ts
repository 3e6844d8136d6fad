import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasCode } from '@audiosplit/chassis/errors';
import { ProvisionError } from './provision-error.ts';

/** sun_path has 104 bytes on macOS and 108 on Linux, one of them the ending zero; the rest is for `.stale-…`. */
const MAX_SOCKET_PATH_BYTES = 103 - 15;
const RETRY_MS = 250;

/**
 * Takes a lock that one process at a time can hold; undefined while another holds it.
 *
 * The lock is a listening Unix socket, which the system releases when its process ends, in whatever way: a
 * socket file on which no process answers is a leftover and is replaced. If `file` is too long for a socket's
 * address, the file lies in the system's temporary folder.
 */
export async function tryLock(file: string): Promise<AsyncDisposable | undefined> {
  const path = socketPathFor(file);
  const server = createServer((socket) => socket.destroy());
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await once(server.listen(path), 'listening');
      return server.unref();
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE')) throw error;
      if (!(await removeLeftover(path))) return undefined;
    }
  }
  return undefined;
}

/** Waits until the lock is free, and takes it. Rejects with the signal's reason when aborted. */
export async function awaitLock(file: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  for (;;) {
    const held = await tryLock(file);
    if (held !== undefined) return held;
    await setTimeout(RETRY_MS);
    signal?.throwIfAborted();
  }
}

/** Keeps two starts or stops from working on one state folder at the same time. */
export async function lockState(dir: string): Promise<AsyncDisposable> {
  const lock = await tryLock(`${realpathSync(dir)}.lock`);
  if (lock === undefined) {
    throw new ProvisionError(`another start or stop is at work in ${dir}: wait for it to end`);
  }
  return lock;
}

function socketPathFor(file: string): string {
  if (Buffer.byteLength(file) <= MAX_SOCKET_PATH_BYTES) return file;
  const name = createHash('sha256').update(file).digest('hex').slice(0, 24);
  return join(tmpdir(), `audiosplit-${name}.sock`);
}

/**
 * False if a process answers. The file is moved aside before it is checked: if two processes find the same
 * leftover, the slower one must not remove the new socket of the faster one.
 */
async function removeLeftover(path: string): Promise<boolean> {
  if (await isAnswered(path)) return false;
  const aside = `${path}.stale-${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  if (await isAnswered(aside)) {
    await rename(aside, path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  const isConnected = await once(socket, 'connect').then(Boolean, () => false);
  socket.destroy();
  return isConnected;
}
