/**
 * Where Kafka is and how a client signs in. Brokers are trusted like every other server: by the public
 * authorities and those of NODE_EXTRA_CA_CERTS.
 *
 * Refused are settings that look safer than they are, or that would be overlooked: a password over plain text
 * to another machine, unless KAFKA_SASL_WITHOUT_TLS says that its network is private (docs/decisions/0041);
 * half of a login; and any of these settings without brokers, because events would silently use Postgres.
 */
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { ConfigError, type Env } from '../../process/env.ts';
import { flag, hostPorts, oneOf, readSettings, text, type ValuesOf } from '../../process/settings.ts';

/** In the client library's terms; plain text without. */
type KafkaSecurity = Pick<KafkaConfig, 'ssl' | 'sasl'>;

export interface KafkaConnection {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly security?: KafkaSecurity;
}

/** `host:port` of a broker on this machine, so that the password crosses no network. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}):\d+$/;

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export const KAFKA_SETTINGS = {
  KAFKA_BROKERS: hostPorts({
    what: 'brokers of Kafka, which carries the events',
    shownDefault: 'events on PostgreSQL',
    chart: 'kafka.brokers',
  }),
  KAFKA_TLS: flag({ what: 'connect to the brokers over TLS', default: 'false', chart: 'kafka.tls' }),
  KAFKA_SASL_MECHANISM: oneOf(['none', ...SASL_MECHANISMS], {
    what: 'how to sign in at the brokers; only with TLS, or at brokers on this machine',
    default: 'none',
    chart: 'kafka.sasl.mechanism',
  }),
  KAFKA_SASL_WITHOUT_TLS: flag({
    what: 'sign in without TLS at brokers of other machines too: for a network of the installation alone',
    default: 'false',
  }),
  KAFKA_SASL_USERNAME: text({
    what: 'user for the brokers',
    isSecret: true,
    chart: 'kafka.sasl.usernameKey',
  }),
  KAFKA_SASL_PASSWORD: text({
    what: 'password for the brokers',
    isSecret: true,
    chart: 'kafka.sasl.passwordKey',
  }),
};

/** Undefined where the bus is on Postgres. Throws ConfigError. */
export function readKafkaConnection(env: Env): KafkaConnection | undefined {
  const values = readSettings(KAFKA_SETTINGS, env);
  const { KAFKA_BROKERS: brokers, KAFKA_TLS: ssl } = values;
  const sasl = saslOf(values);
  if (brokers === undefined) {
    if (!ssl) return undefined;
    throw new ConfigError('KAFKA_BROKERS', undefined, 'host:port of the brokers that KAFKA_TLS is about');
  }
  return { brokers, security: { ssl, ...(sasl === undefined ? {} : { sasl }) } };
}

function saslOf(values: ValuesOf<typeof KAFKA_SETTINGS>): SASLOptions | undefined {
  const {
    KAFKA_BROKERS: brokers = [],
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = values;
  const refuse = (variable: keyof typeof KAFKA_SETTINGS, allowed: string, value?: string) =>
    new ConfigError(variable, value, allowed);
  if (mechanism === 'none') {
    if (username === undefined && password === undefined) return undefined;
    const orphan = username === undefined ? 'KAFKA_SASL_PASSWORD' : 'KAFKA_SASL_USERNAME';
    throw refuse('KAFKA_SASL_MECHANISM', `${SASL_MECHANISMS.join(', ')}, as ${orphan} is set`);
  }
  if (username === undefined) throw refuse('KAFKA_SASL_USERNAME', 'a name, for KAFKA_SASL_MECHANISM');
  if (password === undefined) throw refuse('KAFKA_SASL_PASSWORD', 'a password, for KAFKA_SASL_MECHANISM');
  const isShown = !values.KAFKA_TLS && !brokers.every((broker) => LOOPBACK.test(broker));
  if (isShown && !values.KAFKA_SASL_WITHOUT_TLS) {
    const allowed = 'none, or KAFKA_TLS=true: a password is sent over TLS only';
    throw refuse('KAFKA_SASL_MECHANISM', allowed, mechanism);
  }
  return { mechanism, username, password };
}
