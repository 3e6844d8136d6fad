import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { ProvisionError } from './provision-error.ts';

/**
 * Keeps two starts or stops from working on one state folder at the same time.
 *
 * The lock is a listening socket in Linux's abstract namespace: the kernel takes it back when its holder ends,
 * however it ends, so there is no stale lock to tell from a live one.
 */
export async function lockState(dir: string): Promise<AsyncDisposable> {
  const name = createHash('sha256').update(realpathSync(dir)).digest('hex');
  const server = createServer().listen(`\0audiosplit-engines-${name}`);
  try {
    await once(server, 'listening');
  } catch {
    throw new ProvisionError(`another start or stop is at work in ${dir}: wait for it to end`);
  }
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
