/**
 * Every service and the gateway as processes of their own, as images run them: compiled, told everything by
 * their environment, on engines that are there already. For tests; `npm run up` builds on it later.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');
const SERVICES = ['billing', 'auth', 'account', 'webhooks', 'jobs', 'splitter'] as const;
type Service = (typeof SERVICES)[number];

export interface ServiceProcesses extends AsyncDisposable {
  readonly baseUrls: readonly string[];
  readonly splitters: readonly ChildProcess[];
  readonly internalSecret: string;
  /** Where each service answers RPC. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  /** What a process has printed so far. */
  outputOf(name: string): string;
  /** Sends SIGTERM to all and gives their exit codes by name. */
  stop(): Promise<Record<string, number | null>>;
}

export interface ServiceProcessesOptions {
  /** DATABASE_URL, KAFKA_BROKERS, REDIS_URL, STORAGE_URL and what else is to differ from the defaults. */
  readonly env: Readonly<Record<string, string>>;
  readonly gateways: number;
  readonly splitters: number;
}

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

export async function startServiceProcesses(options: ServiceProcessesOptions): Promise<ServiceProcesses> {
  const ports: Record<string, number> = {};
  for (const service of SERVICES) ports[service] = await freePort();
  const gatewayPorts: number[] = [];
  for (let n = 0; n < options.gateways; n++) gatewayPorts.push(await freePort());
  const publicBaseUrl = `http://127.0.0.1:${gatewayPorts[0]}`;

  const secretOf = (purpose: string) => `${purpose} secret, long enough for all the tests there are`;
  const rpcUrls = Object.fromEntries(
    SERVICES.map((service) => [service, `http://127.0.0.1:${ports[service]}`]),
  );
  const internalSecret = secretOf('internal');
  const common: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    INTERNAL_SECRET: internalSecret,
    AUTH_SECRET: secretOf('auth'),
    WEBHOOKS_SECRET: secretOf('webhooks'),
    DOWNLOAD_SECRET: secretOf('download'),
    PUBLIC_BASE_URL: publicBaseUrl,
    RPC_HOST: '127.0.0.1',
    HOST: '127.0.0.1',
    MAIL_DIR: join(options.env.SCRATCH_ROOT ?? '/tmp/audiosplit-scratch', 'mail'),
    LOG_LEVEL: 'info',
    MIGRATE: 'false',
    ...Object.fromEntries(
      SERVICES.map((service) => [`${service.toUpperCase()}_RPC_URL`, rpcUrls[service] ?? '']),
    ),
    ...options.env,
  };

  const processes = new Map<string, ChildProcess>();
  const outputs = new Map<string, string>();
  const start = (name: string, entry: string, env: Record<string, string>) => {
    const flags = ['--disable-warning=TimeoutNegativeWarning'];
    const child = spawn(process.execPath, [...flags, join(ROOT, entry)], {
      env: { ...common, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) =>
        outputs.set(name, ((outputs.get(name) ?? '') + chunk.toString()).slice(-20_000)),
      );
    }
    processes.set(name, child);
    return child;
  };
  const entryOf = (service: Service) => `services/${service}/dist/main.js`;
  // As a deployment does: every schema first, then processes that leave them alone.
  for (const service of SERVICES.filter((name) => name !== 'splitter')) {
    const name = `${service}-migrations`;
    const [code] = await once(start(name, entryOf(service), { MIGRATE: 'only' }), 'exit');
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${outputs.get(name)}`);
    processes.delete(name);
  }
  for (const service of SERVICES.filter((name) => name !== 'splitter')) {
    start(service, entryOf(service), { RPC_PORT: String(ports[service]) });
  }
  const splitters = Array.from({ length: options.splitters }, (_, n) =>
    start(`splitter-${n}`, entryOf('splitter'), {
      RPC_PORT: String(n === 0 ? ports.splitter : 0),
      SCRATCH_DIR: join(options.env.SCRATCH_ROOT ?? '/tmp/audiosplit-scratch', String(n)),
    }),
  );
  gatewayPorts.forEach((port, n) => {
    start(`gateway-${n}`, 'gateway/dist/main.js', { PORT: String(port) });
  });

  const stop = async () => {
    const codes: Record<string, number | null> = {};
    const stopAll = async (names: readonly string[]) => {
      await Promise.all(
        names.map(async (name) => {
          const child = processes.get(name);
          if (child === undefined) return;
          codes[name] = await terminate(child);
        }),
      );
    };
    // The order in which a rolling shutdown would: callers before those they call.
    const names = [...processes.keys()];
    await stopAll(names.filter((name) => name.startsWith('gateway')));
    await stopAll(names.filter((name) => name.startsWith('splitter')));
    await stopAll(names.filter((name) => !/^(gateway|splitter)/.test(name)));
    return codes;
  };

  const baseUrls = gatewayPorts.map((port) => `http://127.0.0.1:${port}`);
  try {
    await untilReady(baseUrls, processes, (name) => outputs.get(name) ?? '');
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrls,
    splitters,
    internalSecret,
    rpcUrls,
    outputOf: (name) => outputs.get(name) ?? '',
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

async function untilReady(
  baseUrls: readonly string[],
  processes: ReadonlyMap<string, ChildProcess>,
  outputOf: (name: string) => string,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (const baseUrl of baseUrls) {
    for (;;) {
      for (const [name, child] of processes) {
        if (child.exitCode !== null)
          throw new Error(`${name} ended with ${child.exitCode}: ${outputOf(name)}`);
      }
      const ready = await fetch(`${baseUrl}/readyz`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) break;
      if (Date.now() > deadline)
        throw new Error(
          `${baseUrl} is not ready after ${READY_TIMEOUT_MS / 1000} s: ${outputOf('gateway-0')}`,
        );
      await sleep(100);
    }
  }
  // The gateway does not depend on splitters; a job needs one that serves.
  for (const [name] of processes) {
    while (name.startsWith('splitter') && !outputOf(name).includes('"serving"')) {
      if (Date.now() > deadline) throw new Error(`${name} is not serving: ${outputOf(name)}`);
      await sleep(100);
    }
  }
}

async function terminate(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
  return child.exitCode;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}
