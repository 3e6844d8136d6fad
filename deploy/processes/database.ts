/** Migrates every service's schema before any of them runs, and gives each role a password of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { roleOf } from '@audiosplit/chassis/postgres/pool';
import { openConnection } from '@audiosplit/chassis/postgres/single-connection';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { hmacSha256 } from '@audiosplit/chassis/secrets/hmac';
import pg from 'pg';
import { DATA_SERVICES, type DataService } from '../engines/access.ts';
import { type CodeForm, entryOf } from './process-plan.ts';

/** All services at once, as a deployment's migration step: their schemas are independent. Throws StartError. */
export async function migrateAll(env: Env, code: CodeForm): Promise<void> {
  const runs = DATA_SERVICES.map(async (service) => {
    const { command, args } = entryOf(service, code);
    const running = promisify(execFile)(command, args, {
      env: { ...env, MIGRATE: 'only' },
      maxBuffer: Number.POSITIVE_INFINITY,
    });
    return await running.then(
      () => [],
      ({ code: end, stderr, message }) => {
        const reason = String(stderr).trim() || message;
        return [`the migrations of ${service} ended with ${end}: ${reason}`];
      },
    );
  });
  const failed = (await Promise.all(runs)).flat();
  if (failed.length > 0) throw new StartError(failed.join('\n'));
}

/**
 * Lets each service's role log in with a password derived from `secret`, and resolves with the services' URLs. A process
 * then has no rights beyond its own schema.
 */
export async function giveLogins(
  adminUrl: string,
  secret: string,
): Promise<Readonly<Record<DataService, string>>> {
  await using client = await openConnection({ connectionString: adminUrl });
  const urls = {} as Record<DataService, string>;
  for (const service of DATA_SERVICES) {
    const role = roleOf(service);
    const password = hmacSha256(secret, `login of ${role}`).toString('hex');
    await client.query(
      `alter role ${pg.escapeIdentifier(role)} login password ${pg.escapeLiteral(password)}`,
    );
    const url = new URL(adminUrl);
    url.username = role;
    url.password = password;
    urls[service] = url.href;
  }
  return urls;
}
