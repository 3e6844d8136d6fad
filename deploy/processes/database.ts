/** Migrates every service's schema before any of them runs, and gives each role a password of its own. */
import { spawn } from 'node:child_process';
import { roleOf } from '@audiosplit/chassis/postgres/pool';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { hmacSha256 } from '@audiosplit/chassis/secrets/hmac';
import pg from 'pg';
import { type CodeForm, DATA_SERVICES, type DataService, entryOf } from './process-plan.ts';

/** All services at once, as a deployment's migration step: their schemas are independent. Throws StartError. */
export async function migrateAll(env: Env, code: CodeForm): Promise<void> {
  const ends = await Promise.all(DATA_SERVICES.map((service) => migrateOne(service, env, code)));
  const failed = ends.filter((end) => end !== undefined);
  if (failed.length > 0) throw new StartError(failed.join('\n'));
}

/** Resolves with the error's text when it failed. */
async function migrateOne(service: DataService, env: Env, code: CodeForm): Promise<string | undefined> {
  const { command, args } = entryOf(service, code);
  const child = spawn(command, args, {
    env: { ...env, MIGRATE: 'only' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code_ = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return code_ === 0 ? undefined : `the migrations of ${service} ended with ${code_}: ${stderr.trim()}`;
}

/**
 * Lets each service's role log in with a password derived from `secret`, and resolves with the services' URLs. A process
 * then has no rights beyond its own schema.
 */
export async function giveLogins(
  adminUrl: string,
  secret: string,
): Promise<Readonly<Record<DataService, string>>> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
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
  } finally {
    await client.end();
  }
}
