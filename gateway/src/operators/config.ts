import { KAFKA_SETTINGS } from '@audiosplit/chassis/event-bus/kafka/connection';
import { type BusLocation, readBusLocation } from '@audiosplit/chassis/event-bus/operator/open-operations';
import { IDENTITY_SETTINGS, type IdentityKeys, readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import type { Env } from '@audiosplit/chassis/process/env';
import type { LogLevel } from '@audiosplit/chassis/process/log';
import { AUTHORITIES, DATABASE_URL, LOG_LEVEL } from '@audiosplit/chassis/process/process-config';
import { rpcUrlSettings } from '@audiosplit/chassis/process/rpc-urls';
import {
  list,
  MIN_SECRET_BYTES,
  parsed,
  port,
  type Refuse,
  readSettings,
  text,
} from '@audiosplit/chassis/process/settings';

const CREDENTIALS_FORM = `name:secret for each operator, no name twice, secrets of at least ${MIN_SECRET_BYTES} bytes, separated by white space or commas`;

export const OPERATORS_SETTINGS = {
  OPERATORS_HOST: text({ what: 'address on which the console listens', default: '127.0.0.1' }),
  OPERATORS_PORT: port({ what: 'port of the console', default: 8090 }),
  OPERATORS_CREDENTIALS: parsed(
    {
      what: '`name:secret` for each operator, separated by white space or commas',
      isSecret: true,
      isRequired: true,
      chart: 'operators.credentials',
    },
    { allowed: CREDENTIALS_FORM, parse: parseCredentials },
  ),
  OPERATORS_LINKS: list(
    {
      what: 'dashboards and other links for the page',
      chart: 'operators.links',
    },
    { allowed: 'Name=https://…, several separated by commas', parse: (entries) => entries.map(parseLink) },
  ),
};

const PROCESS_SETTINGS = { ...IDENTITY_SETTINGS, LOG_LEVEL };

/** The services that the console calls. */
export const OPERATED_SERVICES = ['auth', 'billing', 'jobs'] as const;
export type OperatedService = (typeof OPERATED_SERVICES)[number];

/** By name of the operator. */
type Secrets = ReadonlyMap<string, string>;

/** The settings of the console in its own process. */
export const SETTINGS = {
  ...OPERATORS_SETTINGS,
  ...PROCESS_SETTINGS,
  DATABASE_URL,
  ...KAFKA_SETTINGS,
  ...rpcUrlSettings(OPERATED_SERVICES),
  NODE_EXTRA_CA_CERTS: AUTHORITIES,
};

export interface OperatorsConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly secrets: Secrets;
  readonly links: readonly Link[];
}

export interface Link {
  readonly name: string;
  readonly url: string;
}

export interface OperatorsProcessConfig {
  readonly operators: OperatorsConfig;
  readonly bus: BusLocation;
  readonly keys: IdentityKeys;
  readonly logLevel: LogLevel;
}

/** Throws ConfigError. */
export function readOperatorsConfig(env: Env): OperatorsConfig {
  const values = readSettings(OPERATORS_SETTINGS, env);
  return {
    host: values.OPERATORS_HOST,
    port: values.OPERATORS_PORT,
    secrets: values.OPERATORS_CREDENTIALS,
    links: values.OPERATORS_LINKS,
  };
}

/** Throws ConfigError. */
export function readOperatorsProcessConfig(env: Env): OperatorsProcessConfig {
  const values = readSettings(PROCESS_SETTINGS, env);
  return {
    operators: readOperatorsConfig(env),
    bus: readBusLocation(env),
    keys: readIdentityKeys(env, 'operator'),
    logLevel: values.LOG_LEVEL,
  };
}

function parseCredentials(value: string, refuse: Refuse): Secrets {
  const secrets = new Map<string, string>();
  for (const line of value.split(/[\s,]+/).filter((each) => each !== '')) {
    const [, name = '', secret = ''] = /^([\w.@-]{1,64}):(.+)$/.exec(line) ?? [];
    if (Buffer.byteLength(secret) < MIN_SECRET_BYTES || secrets.has(name)) throw refuse(CREDENTIALS_FORM);
    secrets.set(name, secret);
  }
  if (secrets.size === 0) throw refuse(CREDENTIALS_FORM);
  return secrets;
}

function parseLink(entry: string): Link {
  const [, name, url = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
  if (name === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new Error(`${entry} is none`);
  }
  return { name: name.trim(), url };
}
