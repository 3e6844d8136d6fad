/**
 * Secrets in files: a secret setting `X` can be given as `X_FILE`, the path of a file with its value.
 * Environment variables are visible to every child process and in `/proc`; a file has an owner and a mode.
 */
import { readFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { ConfigError } from './env.ts';
import { isSet, type Settings } from './settings.ts';

/**
 * Replaces each `X_FILE` by `X`. Call it once, when a process starts: configurations, and libraries that read
 * variables of their own, then find the values in `env`. Throws ConfigError.
 */
export function loadSecretFiles(env: NodeJS.ProcessEnv, settings: Settings): void {
  for (const [name, { isSecret, mayBeFile }] of Object.entries(settings)) {
    const variable = `${name}_FILE`;
    if (!(isSecret || mayBeFile) || !isSet(env, variable)) continue;
    const path = env[variable]?.trim() ?? '';
    if (isSet(env, name)) throw new ConfigError(variable, path, `a file, or ${name}, but not both`);
    env[name] = contentOf(variable, path);
    delete env[variable];
  }
}

function contentOf(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError(variable, path, `a file that can be read (${messageOf(error)})`);
  }
}
