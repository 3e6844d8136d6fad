/**
 * The processes of an installation in the order in which they are stopped: callers before the services that they call.
 * Splitters stop with the gateways: no caller waits for a splitter, and its running jobs need the services to the end.
 */
import { join, resolve } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { sourceFlags } from '../launcher.mjs';
import { BALANCER_STOP_SIGNAL, balancerArguments } from './balancer.ts';
import type { ProcessPlace, ProcessSpec } from './process/managed-process.ts';
import { httpReadiness, rpcReadiness } from './process/readiness.ts';

export const DATA_SERVICES = ['billing', 'auth', 'account', 'webhooks', 'jobs'] as const;
export type DataService = (typeof DATA_SERVICES)[number];

/** `compiled` is what images run, after `npm run build`. */
export type CodeForm = 'source' | 'compiled';

/** Where a process listens, and where its successor does; there is a successor behind a balancer only. */
export interface PortPair {
  readonly active: number;
  readonly standby?: number;
}

export interface Ports {
  readonly services: Readonly<Record<DataService, readonly PortPair[]>>;
  readonly gateways: readonly PortPair[];
  readonly splitters: readonly PortPair[];
  /** Where each service is called: the balancer's port, or that of the only process. */
  readonly calls: Readonly<Record<DataService | 'splitter', number>>;
}

export interface PlanOptions {
  readonly ports: Ports;
  readonly code: CodeForm;
  /** For every process. */
  readonly env: Env;
  readonly internalSecret: string;
  /** As the service's own role. */
  readonly databaseUrlOf: (service: DataService) => string;
  readonly scratchDir: string;
  readonly balancer?: { readonly command: string; readonly configFile: string; readonly baseUrl: string };
}

export interface ProcessPlan {
  /** All of one phase are stopped together, then those of the next. */
  readonly phases: readonly (readonly ProcessSpec[])[];
}

const REPOSITORY_ROOT = resolve(import.meta.dirname, '../..');
/** docs/decisions/0026 adds this to the drain times before a process is killed. */
const CLOSING_MS = { service: 25_000, gateway: 10_000, splitter: 25_000 } as const;

export function rpcUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** `AUTH_RPC_URL` and so on. */
export function rpcEnvironment({ calls }: Ports): Record<string, string> {
  return Object.fromEntries(
    Object.entries(calls).map(([name, port]) => [`${name.toUpperCase()}_RPC_URL`, rpcUrl(port)]),
  );
}

/** Command and arguments of a service's or the gateway's process. */
export function entryOf(name: string, code: CodeForm): Pick<ProcessSpec, 'command' | 'args'> {
  const folder = name === 'gateway' ? name : `services/${name}`;
  const [flags, entry] =
    code === 'source' ? [sourceFlags, `${folder}/src/main.ts`] : [[], `${folder}/dist/main.js`];
  return { command: process.execPath, args: [...flags, join(REPOSITORY_ROOT, entry)] };
}

export function planProcesses(options: PlanOptions): ProcessPlan {
  const { ports, code, internalSecret, databaseUrlOf, scratchDir, balancer } = options;
  // An administrator's: no process gets it.
  const { DATABASE_URL: _administrator, ...shared } = options.env;
  const common: Env = {
    ...shared,
    ...rpcEnvironment(ports),
    MIGRATE: 'false',
    RPC_HOST: '127.0.0.1',
    METRICS_HOST: shared.METRICS_HOST ?? '127.0.0.1',
  };
  const inPlaces = placing(metricsPorts(shared));
  const drainMs = (time: 'DELAY' | 'REQUESTS' | 'GRACE', defaultSeconds: number) =>
    Number(common[`DRAIN_${time}_SECONDS`] ?? defaultSeconds) * 1_000;
  const delayMs = drainMs('DELAY', 5);
  // SIGINT: there is no other process to pass calls on to when all of them stop.
  const ofProduct = { stopSignal: 'SIGINT', stopTimeoutMs: delayMs + CLOSING_MS.service } as const;

  const gateways = ports.gateways.map((pair, n) => {
    const { env, ...rest } = inPlaces(pair, (port) => ({
      env: { HOST: '127.0.0.1', PORT: String(port) },
      check: httpReadiness(`http://127.0.0.1:${port}/readyz`),
    }));
    return {
      ...ofProduct,
      ...entryOf('gateway', code),
      name: `gateway-${n}`,
      env: { ...common, ...env },
      ...rest,
      stopTimeoutMs: delayMs + drainMs('REQUESTS', 20) + CLOSING_MS.gateway,
    };
  });
  const splitters = ports.splitters.map((pair, n) => {
    const { env, ...rest } = inPlaces(pair, (port) => ({
      // A splitter empties its folder at its start.
      env: { RPC_PORT: String(port), SCRATCH_DIR: join(scratchDir, scratchName(n, port === pair.standby)) },
      check: rpcReadiness(rpcUrl(port), internalSecret),
    }));
    return {
      ...ofProduct,
      ...entryOf('splitter', code),
      name: `splitter-${n}`,
      env: { ...common, ...env },
      ...rest,
      stopTimeoutMs: delayMs + drainMs('GRACE', 60) + CLOSING_MS.splitter,
    };
  });
  const services = DATA_SERVICES.flatMap((service) =>
    ports.services[service].map((pair, n, replicas) => {
      const { env, ...rest } = inPlaces(pair, (port) => ({
        env: { RPC_PORT: String(port) },
        check: rpcReadiness(rpcUrl(port), internalSecret),
      }));
      return {
        ...ofProduct,
        ...entryOf(service, code),
        name: replicas.length === 1 ? service : `${service}-${n}`,
        env: { ...common, DATABASE_URL: databaseUrlOf(service), ...env },
        ...rest,
      };
    }),
  );
  const inFront =
    balancer === undefined
      ? []
      : [
          {
            name: 'balancer',
            command: balancer.command,
            args: balancerArguments(balancer.configFile),
            env: { PATH: common.PATH },
            stopSignal: BALANCER_STOP_SIGNAL,
            stopTimeoutMs: CLOSING_MS.service,
            check: httpReadiness(`${balancer.baseUrl}/readyz`),
          } as const,
        ];
  return { phases: [[...inFront, ...gateways, ...splitters], services] };
}

/** METRICS_PORT and those after it, one for each port pair's member; 0 or unset stays as it is. */
function metricsPorts({ METRICS_PORT: first = '0' }: Env): () => Env {
  let next = Number(first);
  return () => (next === 0 ? {} : { METRICS_PORT: String(next++) });
}

function placing(nextEnv: () => Env) {
  return (
    { active, standby }: PortPair,
    at: (port: number) => ProcessPlace,
  ): ProcessPlace & Pick<ProcessSpec, 'spare'> => {
    const place = (port: number): ProcessPlace => {
      const { env, check } = at(port);
      return { env: { ...env, ...nextEnv() }, check };
    };
    return { ...place(active), ...(standby === undefined ? {} : { spare: place(standby) }) };
  };
}

function scratchName(splitter: number, isSpare: boolean): string {
  return isSpare ? `${splitter}-spare` : String(splitter);
}
