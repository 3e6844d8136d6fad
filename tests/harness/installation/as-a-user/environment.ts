import { delimiter } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';

/** The folder under test. */
export const PRODUCT_ROOT = process.env.ACCEPTANCE_ROOT ?? process.cwd();

/** Variables that decide how the product runs. Only tests set them. */
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
 * The environment of a new user who types a command: without the variables that npm and Node's test runner
 * add, and without this repository's own Node in PATH.
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
