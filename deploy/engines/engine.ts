import type { Launch } from '../provision/launch.ts';
import type { ProcessIdentity } from '../provision/process-identity.ts';
import type { Task } from '../provision/task.ts';

export const engineNames = ['postgres', 'redis', 'kafka', 'versitygw', 'stripe-mock'] as const;
export type EngineName = (typeof engineNames)[number];

export interface EngineEndpoints {
  /** An administrator's URL: its role may create databases and roles. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** `host:port` */
  readonly kafkaBrokers: string;
  /** Set if Kafka requires a login; an administrator's. */
  readonly kafkaMechanism?: string;
  readonly kafkaUsername?: string;
  readonly kafkaPassword?: string;
  /** `s3://bucket?endpoint=…&region=…`; the bucket exists. */
  readonly storageUrl: string;
  readonly awsAccessKeyId: string;
  readonly awsSecretAccessKey: string;
  /** `http://host:port`, for tests only: it is stateless. */
  readonly stripeMockUrl: string;
}

/** The endpoints that each engine provides. */
export interface EndpointKeys {
  postgres: 'databaseUrl';
  redis: 'redisUrl';
  kafka: 'kafkaBrokers' | 'kafkaMechanism' | 'kafkaUsername' | 'kafkaPassword';
  versitygw: 'storageUrl' | 'awsAccessKeyId' | 'awsSecretAccessKey';
  'stripe-mock': 'stripeMockUrl';
}

/** Where an engine listens, and the random secret with which it was set up. */
export interface Address {
  readonly port: number;
  readonly secret: string;
  /** A second listener, for engines that tell their clients where to connect. */
  readonly proxied?: ProxiedListener | undefined;
  /** A TLS listener; `endpoints` then refers to it. */
  readonly secured?: SecuredListener | undefined;
  /**
   * Each process signs in with its own login and has the permissions in access.ts; `endpoints` contain an
   * administrator's login.
   */
  readonly restricted?: boolean | undefined;
}

/**
 * For clients that connect through a proxy: the engine listens on `port` and announces `advertisedPort`, the
 * proxy's.
 */
export interface ProxiedListener {
  readonly port: number;
  readonly advertisedPort: number;
}

/**
 * PostgreSQL also offers TLS on its one port, and versitygw offers only TLS; the others have a second port
 * for it. Kafka requires a login there, with `KAFKA_USER` and the secret. A new certificate is written into
 * the same file; the engine reloads it on a signal or a command.
 */
export interface SecuredListener {
  readonly port: number;
  /** PEM, for `localhost`: key and certificate in one file, so that they always match. */
  readonly identityFile: string;
  /** PEM; trusted by probes. */
  readonly authorityFile: string;
}

export interface Preparation extends Address {
  /** An existing folder, empty on the first start. */
  readonly dataDir: string;
  readonly task: Task;
}

export interface Engine {
  readonly name: EngineName;
  /** The signal for a prompt, orderly stop. */
  readonly stopSignal: NodeJS.Signals;
  /** Creates the data directory for engines that cannot use a plain folder below `stateDir`; resolves with its path. */
  placeData?(stateDir: string): Promise<string>;
  /** Installs the engine's programs if they are missing and sets up its data. Safe to repeat. */
  prepare(preparation: Preparation): Promise<Launch>;
  probe(address: Address): Promise<void>;
  /** Sets the permissions of access.ts on a restricted engine, after each start. */
  restrict?(address: Address): Promise<void>;
  endpoints(address: Address): Partial<EngineEndpoints>;
}

export interface EngineRecord extends Address {
  /** Null before the first start, and after a stop that kept the data. */
  readonly process: ProcessIdentity | null;
  readonly dataDir: string;
  readonly logFile: string;
  readonly endpoints: Partial<EngineEndpoints>;
}
