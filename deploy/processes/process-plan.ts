/**
 * The processes of an installation in stop order: callers before the services that they call. Splitters stop
 * with the gateways: no caller waits for a splitter, and its running jobs need the services until the end.
 */

import { join } from 'node:path';
import { environmentOfProcess } from '@audiosplit/chassis/identity/identity-environment';
import type { Env } from '@audiosplit/chassis/process/env';
import { productFlags } from '../commands.mjs';
import { DATA_SERVICES, type DataService, type EngineUser } from '../engines/access.ts';
import type { ProcessLogins } from '../engines/process-logins.ts';
import { repositoryRoot, sourceFlags } from '../launcher.mjs';
import { BALANCER_STOP_SIGNAL, balancerArguments } from './balancer.ts';
import type { ProcessPlace, ProcessSpec } from './process/managed-process.ts';
import { httpReadiness, rpcReadiness } from './process/readiness.ts';

/** `compiled` is the code that images run, after `npm run build`. */
export type CodeForm = 'source' | 'compiled';

/** The port of a process and that of its successor; there is a successor only behind a balancer. */
export interface PortPair {
  readonly active: number;
  readonly standby?: number;
}

export interface Ports {
  readonly services: Readonly<Record<DataService, readonly PortPair[]>>;
  readonly gateways: readonly PortPair[];
  readonly splitters: readonly PortPair[];
  /** The port on which each service is called: the balancer's, or that of the only process. */
  readonly calls: Readonly<Record<DataService | 'splitter', number>>;
}

export interface PlanOptions {
  readonly ports: Ports;
  readonly code: CodeForm;
  readonly env: Env;
  /** Read at each start of a process and added to `env`. */
  readonly currentEnv?: (() => Env) | undefined;
  /** The URL with the service's own role. */
  readonly databaseUrlOf: (service: DataService) => string;
  /** For engines at which each process has its own login; overrides `env`. */
  readonly engineLogins?: ProcessLogins | undefined;
  readonly scratchDir: string;
  readonly balancer?: { readonly command: string; readonly configFile: string; readonly baseUrl: string };
}

/** docs/decisions/0026 adds this to the drain times before a process is killed. */
const CLOSING_MS = { service: 25_000, gateway: 10_000, splitter: 25_000 } as const;

export function rpcUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

export function entryOf(name: string, code: CodeForm): Pick<ProcessSpec, 'command' | 'args'> {
  const folder = name === 'gateway' ? name : `services/${name}`;
  const [flags, entry] =
    code === 'source' ? [sourceFlags, `${folder}/src/main.ts`] : [[], `${folder}/dist/main.js`];
  return { command: process.execPath, args: [...flags, ...productFlags, join(repositoryRoot, entry)] };
}

interface Planned {
  readonly name: string;
  readonly env?: Env;
  /** The variables that make it listen there. */
  readonly at: (port: number) => Env;
  readonly check: (port: number) => () => Promise<void>;
  /** The time after its drain delay. */
  readonly closingMs: number;
}

/** Phases: all processes of one phase are stopped together, then those of the next. */
export function planProcesses(options: PlanOptions): readonly (readonly ProcessSpec[])[] {
  const { ports, code, currentEnv = () => ({}), databaseUrlOf, scratchDir, balancer } = options;
  // An administrator's URL, which no process gets.
  const { DATABASE_URL: _administrator, ...shared } = options.env;
  const rpcUrls = Object.entries(ports.calls).map(([name, port]) => [
    `${name.toUpperCase()}_RPC_URL`,
    rpcUrl(port),
  ]);
  const common: Env = {
    ...shared,
    ...Object.fromEntries(rpcUrls),
    MIGRATE: 'false',
    RPC_HOST: '127.0.0.1',
    METRICS_HOST: shared.METRICS_HOST ?? '127.0.0.1',
  };
  const nextMetricsPort = metricsPorts(shared);
  const drainMs = (time: 'DELAY' | 'REQUESTS' | 'GRACE', defaultSeconds: number) =>
    Number(common[`DRAIN_${time}_SECONDS`] ?? defaultSeconds) * 1_000;
  const delayMs = drainMs('DELAY', 5);
  const plan = (component: EngineUser, { active, standby }: PortPair, given: Planned): ProcessSpec => {
    const place = (port: number): ProcessPlace => ({
      env: { ...given.at(port), ...nextMetricsPort() },
      check: given.check(port),
    });
    const { env, check } = place(active);
    return {
      ...entryOf(component, code),
      name: given.name,
      get env() {
        const current = environmentOfProcess({ ...common, ...currentEnv() }, component);
        return { ...current, ...options.engineLogins?.[component], ...given.env, ...env };
      },
      check,
      ...(standby === undefined ? {} : { spare: place(standby) }),
      // SIGINT: when all processes stop, no other one could take over calls.
      stopSignal: 'SIGINT',
      stopTimeoutMs: delayMs + given.closingMs,
    };
  };
  const rpcCheck = (port: number) => rpcReadiness(rpcUrl(port));

  const gateways = ports.gateways.map((pair, n) =>
    plan('gateway', pair, {
      name: `gateway-${n}`,
      at: (port) => ({ HOST: '127.0.0.1', PORT: String(port) }),
      check: (port) => httpReadiness(`${rpcUrl(port)}/readyz`),
      closingMs: drainMs('REQUESTS', 20) + CLOSING_MS.gateway,
    }),
  );
  const splitters = ports.splitters.map((pair, n) =>
    plan('splitter', pair, {
      name: `splitter-${n}`,
      // A splitter empties its folder when it starts.
      at: (port) => ({
        RPC_PORT: String(port),
        SCRATCH_DIR: join(scratchDir, port === pair.standby ? `${n}-spare` : String(n)),
      }),
      check: rpcCheck,
      closingMs: drainMs('GRACE', 60) + CLOSING_MS.splitter,
    }),
  );
  const services = DATA_SERVICES.flatMap((service) =>
    ports.services[service].map((pair, n, replicas) =>
      plan(service, pair, {
        name: replicas.length === 1 ? service : `${service}-${n}`,
        env: { DATABASE_URL: databaseUrlOf(service) },
        at: (port) => ({ RPC_PORT: String(port) }),
        check: rpcCheck,
        closingMs: CLOSING_MS.service,
      }),
    ),
  );
  const inFront: ProcessSpec[] = [];
  if (balancer !== undefined) {
    inFront.push({
      name: 'balancer',
      command: balancer.command,
      args: balancerArguments(balancer.configFile),
      env: { PATH: common.PATH },
      stopSignal: BALANCER_STOP_SIGNAL,
      stopTimeoutMs: CLOSING_MS.service,
      check: httpReadiness(`${balancer.baseUrl}/readyz`),
    });
  }
  return [[...inFront, ...gateways, ...splitters], services];
}

/**
 * METRICS_PORT and the following ports, one for each member of the port pairs; 0 or unset stays unchanged.
 */
function metricsPorts({ METRICS_PORT: first = '0' }: Env): () => Env {
  let next = Number(first);
  return () => (next === 0 ? {} : { METRICS_PORT: String(next++) });
}
