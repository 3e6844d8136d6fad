import { delimiter } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';

/** The folder under test. */
export const PRODUCT_ROOT = process.env.ACCEPTANCE_ROOT ?? process.cwd();

/** What would decide how the product runs, and must come from a test and nowhere else. */
const PRODUCT_VARIABLES = [
  'PORT',
  'HOST',
  'DATA_DIR',
  'EGRESS_ALLOW_CIDRS',
  'DATABASE_URL',
  'REDIS_URL',
  'KAFKA_BROKERS',
  'KAFKA_TLS',
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SASL_USERNAME',
  'KAFKA_SASL_PASSWORD',
  'STORAGE_URL',
  'FFMPEG_PATH',
  'DECODER_SANDBOX',
  'LOG_LEVEL',
  'PUBLIC_BASE_URL',
];

/**
 * The environment of somebody who comes along and types a command: without what npm and node's test runner
 * have added for us, and without this repository's own Node on the path.
 */
export function newcomersEnvironment(additions: Env = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?!config_)/i.test(name) &&
      !/^(INIT_CWD|NODE_TEST_CONTEXT|NODE_OPTIONS|ACCEPTANCE_\w+)$/.test(name) &&
      !PRODUCT_VARIABLES.includes(name),
  );
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path, ...additions };
}
