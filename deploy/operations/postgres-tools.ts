/** PostgreSQL's own client programs, in at least the server's version. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { findExecutable } from '../provision/executable.ts';

/** Debian has a folder for each major version. The newest takes precedence over PATH. */
const DEBIAN_ROOT = '/usr/lib/postgresql';
const MAX_SAID = 4_000;

/**
 * Resolves when the program has succeeded. The password is passed in the environment, because every user of
 * the machine can read arguments. Throws StartError with the end of its output.
 */
export async function runPostgresTool(
  name: 'pg_dump' | 'pg_restore',
  databaseUrl: string,
  args: readonly string[],
): Promise<void> {
  const program = findExecutable(name, [...debianFolders(), ...(process.env.PATH ?? '').split(delimiter)]);
  if (program === undefined) {
    throw new StartError(`there is no ${name} in PATH: install PostgreSQL's client programs`);
  }
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const child = spawn(program, ['--no-password', ...args, `--dbname=${url.href}`], {
    env: { ...process.env, ...authoritiesFor(url, process.env), PGPASSWORD: password },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) {
    throw new StartError(`${name} ended with ${signal ?? code}:\n${said.slice(-MAX_SAID).trim()}`);
  }
}

/**
 * The authorities that libpq trusts. By default it knows none and refuses `verify-full`. Services trust the
 * public authorities and those in NODE_EXTRA_CA_CERTS; libpq accepts only one of the two.
 */
export function authoritiesFor(url: URL, env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const isSaid = url.searchParams.has('sslrootcert') || env.PGSSLROOTCERT !== undefined;
  if (isSaid || url.searchParams.get('sslmode') !== 'verify-full') return {};
  return { PGSSLROOTCERT: env.NODE_EXTRA_CA_CERTS ?? 'system' };
}

function debianFolders(): string[] {
  const majors = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT).map(Number).filter(Boolean) : [];
  return majors.sort((a, b) => b - a).map((major) => join(DEBIAN_ROOT, String(major), 'bin'));
}
