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
  /** An administrator's, where Kafka asks for a login. */
  readonly kafkaMechanism?: string;
  readonly kafkaUsername?: string;
  readonly kafkaPassword?: string;
  /** `s3://bucket?endpoint=…&region=…`; the bucket exists. */
  readonly storageUrl: string;
  readonly awsAccessKeyId: string;
  readonly awsSecretAccessKey: string;
  /** `http://host:port`, for tests alone: it knows no state. */
  readonly stripeMockUrl: string;
}

/** Which endpoints each engine answers for. */
export interface EndpointKeys {
  postgres: 'databaseUrl';
  redis: 'redisUrl';
  kafka: 'kafkaBrokers' | 'kafkaMechanism' | 'kafkaUsername' | 'kafkaPassword';
  versitygw: 'storageUrl' | 'awsAccessKeyId' | 'awsSecretAccessKey';
  'stripe-mock': 'stripeMockUrl';
}

/** Where an engine listens and the random secret that it was set up with. */
export interface Address {
  readonly port: number;
  readonly secret: string;
  /** A second way in, for engines that tell their clients where to connect. */
  readonly proxied?: ProxiedListener | undefined;
  /** A way in over TLS, which is then the one that `endpoints` names. */
  readonly secured?: SecuredListener | undefined;
  /** Each process signs in as itself and may do what access.ts says; `endpoints` hold an administrator's login. */
  readonly restricted?: boolean | undefined;
}

/** For clients that come through a proxy: the engine listens on `port` and names `advertisedPort`, the proxy's. */
export interface ProxiedListener {
  readonly port: number;
  readonly advertisedPort: number;
}

/**
 * PostgreSQL speaks TLS on its one port, too, and versitygw TLS alone; the others have a second port for it. Kafka needs a
 * login there, with `KAFKA_USER` and the secret. A new certificate is written into the same file; the engine reloads it on a
 * signal or a command.
 */
export interface SecuredListener {
  readonly port: number;
  /** PEM, for `localhost`: key and certificate in one file, so that no moment finds half of a pair. */
  readonly identityFile: string;
  /** PEM; what probes trust. */
  readonly authorityFile: string;
}

export interface Preparation extends Address {
  /** Exists; empty on the first start. */
  readonly dataDir: string;
  readonly task: Task;
}

export interface Engine {
  readonly name: EngineName;
  /** The signal for a prompt, orderly stop. */
  readonly stopSignal: NodeJS.Signals;
  /** Creates the data directory for engines that cannot use a plain folder below `stateDir`; resolves with its path. */
  placeData?(stateDir: string): Promise<string>;
  /** Brings in the engine's programs where they are missing and sets up its data. Safe to repeat. */
  prepare(preparation: Preparation): Promise<Launch>;
  probe(address: Address): Promise<void>;
  /** Sets the rights of access.ts on a restricted engine, after each start. */
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
