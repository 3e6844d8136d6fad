/**
 * Reads the configuration of the operators' console from an environment.
 *
 * OPERATORS_HOST (default 127.0.0.1), OPERATORS_PORT, OPERATORS_CREDENTIALS or OPERATORS_CREDENTIALS_FILE
 * (`name:secret` for each operator, separated by white space or commas), OPERATORS_LINKS (`Name=URL`, separated by
 * commas: dashboards and other links for the page). In its own process also INTERNAL_SECRET, JOBS_RPC_URL,
 * BILLING_RPC_URL, LOG_LEVEL and the bus: DATABASE_URL, or KAFKA_BROKERS and the other variables of
 * event-bus/kafka/connection.ts of the chassis.
 */
import { readFileSync } from 'node:fs';
import { messageOf } from '@audiosplit/chassis/errors';
import { type BusLocation, readBusLocation } from '@audiosplit/chassis/event-bus/operator/open-operations';
import {
  ConfigError,
  type Env,
  integer,
  list,
  MIN_SECRET_BYTES,
  oneOf,
  optionalText,
  secret,
  text,
} from '@audiosplit/chassis/process/env';
import { LOG_LEVELS, type LogLevel } from '@audiosplit/chassis/process/log';

export interface OperatorsConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** By name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly links: readonly Link[];
}

export interface Link {
  readonly name: string;
  readonly url: string;
}

export interface OperatorsProcessConfig {
  readonly operators: OperatorsConfig;
  readonly bus: BusLocation;
  readonly internalSecret: string;
  readonly logLevel: LogLevel;
}

const CREDENTIALS = 'OPERATORS_CREDENTIALS';
const CREDENTIALS_FILE = 'OPERATORS_CREDENTIALS_FILE';
const LINKS = 'OPERATORS_LINKS';
const DEFAULT_PORT = 8090;

/** Throws ConfigError. */
export function readOperatorsConfig(env: Env): OperatorsConfig {
  return {
    host: text(env, 'OPERATORS_HOST', '127.0.0.1'),
    port: integer(env, 'OPERATORS_PORT', DEFAULT_PORT, 0, 65_535),
    secrets: readSecrets(env),
    links: list(env, LINKS).map(readLink),
  };
}

/** Throws ConfigError. */
export function readOperatorsProcessConfig(env: Env): OperatorsProcessConfig {
  return {
    operators: readOperatorsConfig(env),
    bus: readBusLocation(env),
    internalSecret: secret(env, 'INTERNAL_SECRET', MIN_SECRET_BYTES),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

function readSecrets(env: Env): ReadonlyMap<string, string> {
  const file = optionalText(env, CREDENTIALS_FILE);
  const given = optionalText(env, CREDENTIALS);
  if (file !== undefined && given !== undefined) {
    throw new ConfigError(CREDENTIALS_FILE, file, `a file, or ${CREDENTIALS}, but not both`);
  }
  const variable = file === undefined ? CREDENTIALS : CREDENTIALS_FILE;
  const lines = (file === undefined ? (given ?? '') : contentOf(file)).split(/[\s,]+/);
  const secrets = new Map<string, string>();
  for (const line of lines.filter((each) => each !== '')) {
    const [, name = '', value = ''] = /^([\w.@-]{1,64}):(.+)$/.exec(line) ?? [];
    if (Buffer.byteLength(value) < MIN_SECRET_BYTES || secrets.has(name))
      throw wrongCredentials(variable, '(hidden)');
    secrets.set(name, value);
  }
  if (secrets.size === 0) throw wrongCredentials(variable, undefined);
  return secrets;
}

function wrongCredentials(variable: string, shown: '(hidden)' | undefined): ConfigError {
  return new ConfigError(
    variable,
    shown,
    `name:secret for each operator, no name twice, secrets of at least ${MIN_SECRET_BYTES} bytes, separated by white space or commas`,
  );
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(CREDENTIALS_FILE, file, `a file that can be read (${messageOf(error)})`);
  }
}

function readLink(entry: string): Link {
  const [, name, url = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
  if (name === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new ConfigError(LINKS, entry, 'Name=https://…, several separated by commas');
  }
  return { name: name.trim(), url };
}
