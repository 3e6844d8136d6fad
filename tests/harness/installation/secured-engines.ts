/** The four engines with certificates of a private authority, which are renewed while the engines run. */
import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { Kafka, logLevel } from '@audiosplit/chassis/event-bus/kafka/client';
import { until } from '@audiosplit/chassis/testing/until';
import type { SecuredListener } from '../../../deploy/engines/engine.ts';
import { readState } from '../../../deploy/engines/engines-state.ts';
import { KAFKA_USER } from '../../../deploy/engines/kafka-access.ts';
import { makeAuthority, type PrivateAuthority } from '../../../deploy/engines/private-authority.ts';
import { startEngines } from '../../../deploy/engines/start-engines.ts';
import { stopEngines } from '../../../deploy/engines/stop-engines.ts';
import { freePort } from '../../../deploy/provision/free-port.ts';

export { makeAuthority, type PrivateAuthority };

const NAMES = ['postgres', 'redis', 'kafka', 'versitygw'] as const;
type Name = (typeof NAMES)[number];

const BROKER = { type: 4, name: '1' } as const;
const KEYSTORE_LOCATION = 'listener.name.secured.ssl.keystore.location';
/** https://www.postgresql.org/docs/current/protocol-message-formats.html, SSLRequest */
const POSTGRES_SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export async function startSecuredEngines(dir: string, authority: PrivateAuthority) {
  await mkdir(dir, { recursive: true });
  // Postgres runs as a separate account and needs to traverse the folder to its data and certificate.
  await chmod(dir, 0o711);
  const secured = {} as Record<Name, SecuredListener>;
  for (const name of NAMES) {
    const identityFile = join(dir, `${name}.pem`);
    await authority.issue(identityFile);
    secured[name] = { port: await freePort(), identityFile, authorityFile: authority.certificateFile };
  }
  await using starting = new AsyncDisposableStack();
  starting.defer(() => stopEngines({ dir }));
  const endpoints = await startEngines({ dir, only: NAMES, secured });
  const recordOf = (name: Name) => {
    const record = readState(dir)[name];
    if (record?.process == null) throw new Error(`${name} does not run`);
    return { ...record, process: record.process };
  };
  const reload = {
    postgres: async () => void process.kill(recordOf('postgres').process.pid, 'SIGHUP'),
    versitygw: async () => void process.kill(recordOf('versitygw').process.pid, 'SIGHUP'),
    redis: () => reloadRedis(recordOf('redis').port, secured.redis.identityFile),
    kafka: () => reloadKafka(recordOf('kafka').port, secured.kafka.identityFile),
  } satisfies Record<Name, () => Promise<void>>;
  const served = {
    postgres: async () => servedOn(await afterSslRequest(recordOf('postgres').port)),
    versitygw: () => servedOn(connect(recordOf('versitygw').port, '127.0.0.1')),
    redis: () => servedOn(connect(secured.redis.port, '127.0.0.1')),
    kafka: () => servedOn(connect(secured.kafka.port, '127.0.0.1')),
  } satisfies Record<Name, () => Promise<string>>;

  const running = starting.move();
  return {
    /** All of them over TLS. */
    endpoints,
    /** The login for Kafka. */
    kafkaLogin: {
      KAFKA_TLS: 'true',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: KAFKA_USER,
      KAFKA_SASL_PASSWORD: recordOf('kafka').secret,
    },
    /** Resolves once each engine serves a new certificate of that authority. No engine is restarted. */
    async renew(next: PrivateAuthority) {
      const renewOne = async (name: Name) => {
        const { fingerprint } = await next.issue(secured[name].identityFile);
        await reload[name]();
        const isNew = async () => (await served[name]()) === fingerprint;
        await until(isNew, `${name} serves the new certificate`);
      };
      await Promise.all(NAMES.map(renewOne));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function reloadRedis(port: number, identityFile: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`CONFIG SET tls-cert-file ${identityFile} tls-key-file ${identityFile}\r\n`);
  const [reply] = await once(socket, 'data');
  socket.destroy();
  if (String(reply) !== '+OK\r\n') throw new Error(`Redis says ${String(reply)}`);
}

/** A broker reads the file again when its location is set again. */
async function reloadKafka(port: number, identityFile: string): Promise<void> {
  const admin = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const configEntries = [{ name: KEYSTORE_LOCATION, value: identityFile }];
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...BROKER, configEntries }] });
  } finally {
    await admin.disconnect();
  }
}

async function afterSslRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(POSTGRES_SSL_REQUEST);
  const [answer] = await once(socket, 'data');
  if (String(answer) !== 'S') throw new Error('Postgres does not speak TLS');
  return socket;
}

/** The fingerprint of the certificate on a new connection; the authority does not matter. */
async function servedOn(socket: Socket): Promise<string> {
  const secured = tls.connect({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect');
  const { fingerprint256 } = secured.getPeerCertificate();
  secured.destroy();
  return fingerprint256;
}
