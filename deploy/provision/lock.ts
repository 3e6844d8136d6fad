import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { hasCode } from '@audiosplit/chassis/errors';
import { ProvisionError } from './provision-error.ts';

const RETRY_MS = 250;

/**
 * Takes a lock that one process at a time can hold; undefined while another holds it.
 *
 * The lock is a listening socket in Linux's abstract namespace. The kernel closes it when its holder ends, however it
 * ends, so no lock is ever stale. Other systems have no such namespace, so there it throws.
 */
export async function tryLock(name: string): Promise<AsyncDisposable | undefined> {
  const hash = createHash('sha256').update(name).digest('hex');
  const server = createServer().listen(`\0audiosplit-engines-${hash}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return undefined;
    throw error;
  }
  return server.unref();
}

/** Waits until the lock is free, and takes it. Rejects with the signal's reason when aborted. */
export async function awaitLock(name: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  for (;;) {
    const held = await tryLock(name);
    if (held !== undefined) return held;
    await setTimeout(RETRY_MS);
    signal?.throwIfAborted();
  }
}

/** Keeps two starts or stops from working on one state folder at the same time. */
export async function lockState(dir: string): Promise<AsyncDisposable> {
  const lock = await tryLock(realpathSync(dir));
  if (lock === undefined) {
    throw new ProvisionError(`another start or stop is at work in ${dir}: wait for it to end`);
  }
  return lock;
}
