/**
 * Which processes an installation has, in the order in which they are stopped: callers before those they call. Splitters
 * go with the gateways: nobody waits for one, and what their running jobs need has to be there to the last.
 */
import { join, resolve } from 'node:path';
import type { Env } from '@audiosplit/chassis/env';
import { sourceFlags } from '../local/install.mjs';
import { BALANCER_STOP_SIGNAL, balancerArguments } from './balancer.ts';
import type { ProcessSpec } from './managed-process.ts';
import { httpReadiness, rpcReadiness } from './readiness.ts';

export const DATA_SERVICES = ['billing', 'auth', 'account', 'webhooks', 'jobs'] as const;
export type DataService = (typeof DATA_SERVICES)[number];

/** `compiled` is what images run, after `npm run build`. */
export type CodeForm = 'source' | 'compiled';

export interface Ports {
  readonly services: Readonly<Record<DataService, number>>;
  readonly gateways: readonly number[];
  readonly splitters: readonly number[];
  /** Where the services call the splitters: the balancer's, or the only splitter's. */
  readonly splitter: number;
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
const STOP_TIMEOUT_MS = 25_000;
/** What a splitter needs to hand jobs back, once the grace for running jobs is over. */
const SPLITTER_CLOSING_MS = 25_000;

export function rpcUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** `AUTH_RPC_URL` and so on. */
export function rpcEnvironment({ services, splitter }: Ports): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...services, splitter }).map(([name, port]) => [
      `${name.toUpperCase()}_RPC_URL`,
      rpcUrl(port),
    ]),
  );
}

/** Command and arguments of a service's or the gateway's process. */
export function entryOf(name: string, code: CodeForm): Pick<ProcessSpec, 'command' | 'args'> {
  const folder = name === 'gateway' ? name : `services/${name}`;
  const [flags, entry] =
    code === 'source'
      ? [sourceFlags, `${folder}/src/main.ts`]
      : [['--disable-warning=TimeoutNegativeWarning'], `${folder}/dist/main.js`];
  return { command: process.execPath, args: [...flags, join(REPOSITORY_ROOT, entry)] };
}

export function planProcesses(options: PlanOptions): ProcessPlan {
  const { ports, code, internalSecret, databaseUrlOf, scratchDir, balancer } = options;
  // An administrator's, which no process is to have.
  const { DATABASE_URL: _administrator, ...shared } = options.env;
  const common: Env = {
    ...shared,
    ...rpcEnvironment(ports),
    MIGRATE: 'false',
    RPC_HOST: '127.0.0.1',
  };
  const ofProduct = { stopSignal: 'SIGTERM', stopTimeoutMs: STOP_TIMEOUT_MS } as const;

  const gateways = ports.gateways.map((port, n) => ({
    ...ofProduct,
    ...entryOf('gateway', code),
    name: `gateway-${n}`,
    env: { ...common, HOST: '127.0.0.1', PORT: String(port) },
    check: httpReadiness(`http://127.0.0.1:${port}/readyz`),
  }));
  const drainGraceMs = Number(common.DRAIN_GRACE_SECONDS ?? 0) * 1_000;
  const splitters = ports.splitters.map((port, n) => ({
    ...ofProduct,
    ...entryOf('splitter', code),
    name: `splitter-${n}`,
    env: { ...common, RPC_PORT: String(port), SCRATCH_DIR: join(scratchDir, String(n)) },
    stopTimeoutMs: drainGraceMs + SPLITTER_CLOSING_MS,
    check: rpcReadiness(rpcUrl(port), internalSecret),
  }));
  const services = DATA_SERVICES.map((service) => ({
    ...ofProduct,
    ...entryOf(service, code),
    name: service,
    env: { ...common, DATABASE_URL: databaseUrlOf(service), RPC_PORT: String(ports.services[service]) },
    check: rpcReadiness(rpcUrl(ports.services[service]), internalSecret),
  }));
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
            stopTimeoutMs: STOP_TIMEOUT_MS,
            check: httpReadiness(`${balancer.baseUrl}/readyz`),
          } as const,
        ];
  return { phases: [[...inFront, ...gateways, ...splitters], services] };
}
