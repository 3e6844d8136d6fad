/**
 * Where Kafka is and how a client is let in, for everything that opens the bus.
 *
 * KAFKA_BROKERS; KAFKA_TLS (`true`, `false`); KAFKA_SASL_MECHANISM (`none`, or one of SASL_MECHANISMS), KAFKA_SASL_USERNAME and
 * KAFKA_SASL_PASSWORD. Brokers are trusted as every other server is: by the public authorities and those of NODE_EXTRA_CA_CERTS.
 *
 * Refused is what would look safer than it is, or would be overlooked: a name and a password over plain text (docs/decisions/0041),
 * half of a login, and any of this without brokers, when events would go over Postgres in silence.
 */
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { ConfigError, type Env, oneOf, optionalHostPorts, optionalText } from '../../process/env.ts';

/** In the client library's terms; plain text without. */
type KafkaSecurity = Pick<KafkaConfig, 'ssl' | 'sasl'>;

export interface KafkaConnection {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly security?: KafkaSecurity;
}

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

const BROKERS = 'KAFKA_BROKERS';
const TLS = 'KAFKA_TLS';
const MECHANISM = 'KAFKA_SASL_MECHANISM';
const USERNAME = 'KAFKA_SASL_USERNAME';
const PASSWORD = 'KAFKA_SASL_PASSWORD';

/** Undefined where the bus is on Postgres. Throws ConfigError. */
export function readKafkaConnection(env: Env): KafkaConnection | undefined {
  const brokers = optionalHostPorts(env, BROKERS);
  const ssl = oneOf(env, TLS, ['true', 'false'], 'false') === 'true';
  const sasl = readSasl(env, ssl);
  if (brokers === undefined) {
    if (!ssl) return undefined;
    throw new ConfigError(BROKERS, undefined, `host:port of the brokers that ${TLS} is about`);
  }
  return { brokers, security: { ssl, ...(sasl === undefined ? {} : { sasl }) } };
}

function readSasl(env: Env, ssl: boolean): SASLOptions | undefined {
  const mechanism = oneOf(env, MECHANISM, ['none', ...SASL_MECHANISMS], 'none');
  const username = optionalText(env, USERNAME);
  const password = optionalText(env, PASSWORD);
  if (mechanism === 'none') {
    if (username === undefined && password === undefined) return undefined;
    const orphan = username === undefined ? PASSWORD : USERNAME;
    throw new ConfigError(MECHANISM, undefined, `${SASL_MECHANISMS.join(', ')}, as ${orphan} is set`);
  }
  if (username === undefined) throw new ConfigError(USERNAME, undefined, `a name, for ${MECHANISM}`);
  if (password === undefined) throw new ConfigError(PASSWORD, undefined, `a password, for ${MECHANISM}`);
  if (!ssl) {
    throw new ConfigError(MECHANISM, mechanism, `none, or ${TLS}=true: a password is sent over TLS only`);
  }
  return { mechanism, username, password };
}
