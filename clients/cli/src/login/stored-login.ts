/** What `audiosplit login` has stored, in a file that only its owner may read. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Server } from '../arguments.ts';

/** A key for jobs, a session for the account, or both. */
export interface StoredLogin {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly session?: StoredSession;
}

export interface StoredSession {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAtMs: number;
}

/** By the platform's convention, within the user's own folder. */
export function storePath(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(env.HOME || homedir(), '.config');
  return join(folder, 'audiosplit', 'login.json');
}

/** Undefined: nothing is stored. */
export async function readStoredLogin(env: NodeJS.ProcessEnv): Promise<StoredLogin | undefined> {
  const text = await readFile(storePath(env), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const login = JSON.parse(text) as Partial<StoredLogin>;
  return login.baseUrl === undefined ? undefined : { ...login, baseUrl: login.baseUrl };
}

/** Undefined: no key is stored. */
export async function readStoredServer(env: NodeJS.ProcessEnv): Promise<Server | undefined> {
  const { baseUrl, apiKey } = (await readStoredLogin(env)) ?? {};
  return baseUrl === undefined || apiKey === undefined ? undefined : { baseUrl, apiKey };
}

/**
 * A login for another server replaces the stored one; further data for the same server is kept. Returns the
 * path.
 */
export async function storeLogin(env: NodeJS.ProcessEnv, login: StoredLogin): Promise<string> {
  const path = storePath(env);
  const before = await readStoredLogin(env);
  const kept = before?.baseUrl === login.baseUrl ? before : {};
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written to a new file, so that a file readable by others does not stay readable.
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify({ ...kept, ...login })}\n`, { mode: 0o600 });
  await rename(fresh, path);
  return path;
}
