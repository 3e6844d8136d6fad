/** The server and the key that `audiosplit login` has stored, in a file that only its owner may read. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Server } from '../arguments.ts';

/** By the platform's convention, within the user's own folder. */
export function storePath(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(env.HOME || homedir(), '.config');
  return join(folder, 'audiosplit', 'login.json');
}

/** Undefined: nothing is stored. */
export async function readStoredServer(env: NodeJS.ProcessEnv): Promise<Server | undefined> {
  const text = await readFile(storePath(env), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { baseUrl, apiKey } = JSON.parse(text) as Partial<Server>;
  return baseUrl === undefined || apiKey === undefined ? undefined : { baseUrl, apiKey };
}

/** Returns the path. */
export async function storeServer(env: NodeJS.ProcessEnv, server: Server): Promise<string> {
  const path = storePath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Made anew, so that a file that others may read does not stay one.
  await writeFile(`${path}.new`, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return path;
}
