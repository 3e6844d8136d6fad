import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { createLogger } from '@audiosplit/chassis/process/log';
import { readLocalConfig } from './config.ts';
import { startEmbeddedSystem } from './embedded-system.ts';

/** All other variables are for a permanent system with its own engines. */
const FORWARDED_VARIABLES = [
  'EGRESS_ALLOW_CIDRS',
  'FFMPEG_PATH',
  'DECODER_SANDBOX',
  'SPLITTER_CONCURRENCY',
  'LOG_LEVEL',
];
/** Renewals of a lease, at a third of its length, report progress: a progress bar should move every 3 s. */
const LEASE_SECONDS = '9';

/** The whole product for one split; its folder is deleted afterwards. Throws ConfigError, StartError. */
export async function startTemporarySystem(processEnv: Env, fatal: (error: Error) => void) {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await mkdtempDisposable(join(tmpdir(), 'audiosplit-split-')));
  const forwarded = FORWARDED_VARIABLES.filter((name) => processEnv[name]);
  const env: Env = {
    LOG_LEVEL: 'silent',
    ...Object.fromEntries(forwarded.map((name) => [name, processEnv[name]])),
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: folder.path,
    JOB_LEASE_SECONDS: LEASE_SECONDS,
  };
  const config = readLocalConfig(env, folder.path);
  const log = createLogger('local', config.logLevel);
  const { baseUrl, development } = starting.use(await startEmbeddedSystem({ config, log, env, fatal }));
  const running = starting.move();
  return {
    server: { baseUrl, apiKey: development.apiKey },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
