/**
 * One address before all gateways, and one before each service: HAProxy from Debian's packages.
 *
 * Gateways and services are asked whether they accept calls, so that one that drains gets nothing new. Whether they are
 * ready is not asked: all of them share what that holds, and without any the balancer would answer for them. What has
 * reached no gateway is tried on another, and so is a GET that got no answer; nothing else is ever sent twice. HAProxy's
 * own refusals have the API's envelope, but for that of bytes that are no HTTP, which it answers before any configuration
 * is looked at.
 */

import { ACCEPTING } from '@audiosplit/chassis/rpc/health';
import { installPackages } from '../provision/debian-packages.ts';
import { findExecutable } from '../provision/executable.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import type { Task } from '../provision/task.ts';

export interface BalancerAddresses {
  readonly host: string;
  readonly port: number;
  readonly gatewayPorts: readonly number[];
  readonly services: readonly BalancedService[];
  /** Serves /samples/. */
  readonly samplesPort: number;
}

/** Where a service is called, and where its processes answer. */
export interface BalancedService {
  readonly name: string;
  readonly port: number;
  readonly serverPorts: readonly number[];
}

/** What differs between processes of one machine and containers: HAProxy's own lines. */
interface BalancerLines {
  readonly sections: string;
  readonly publicBind: string;
  readonly gateways: string;
  readonly services: readonly {
    readonly name: string;
    readonly bind: string;
    readonly servers: string;
  }[];
  readonly samplesRule: string;
}

/** At most so many gateways and splitters are found by their names. */
const MAX_CONTAINERS = 16;

/** Not in every user's PATH. */
const SYSTEM_FOLDER = '/usr/sbin';

/** How long connections may go on after the signal to stop. */
const HARD_STOP_AFTER_SECONDS = 5;

/** Resolves with the path of the program, installed where it is missing. Throws ProvisionError. */
export async function ensureBalancer(task: Task): Promise<string> {
  const find = () => findExecutable('haproxy') ?? findExecutable('haproxy', [SYSTEM_FOLDER]);
  const present = find();
  if (present !== undefined) return present;
  await installPackages(['haproxy'], 'HAProxy', task);
  const installed = find();
  if (installed === undefined) throw new ProvisionError('no haproxy in PATH, though apt-get installed it');
  return installed;
}

/** `-db` keeps it in the foreground. */
export function balancerArguments(configFile: string): string[] {
  return ['-db', '-f', configFile];
}

/** SIGUSR1 lets connections end, up to the hard stop. */
export const BALANCER_STOP_SIGNAL = 'SIGUSR1';

export function balancerConfig(addresses: BalancerAddresses): string {
  const { host, port, gatewayPorts, services, samplesPort } = addresses;
  const servers = (name: string, ports: readonly number[]) =>
    ports.map((each, n) => `  server ${name}-${n} 127.0.0.1:${each} check`).join('\n');
  return render({
    sections: `backend samples
  mode http
  server samples 127.0.0.1:${samplesPort}

`,
    publicBind: `${bindAddress(host)}:${port}`,
    gateways: servers('gateway', gatewayPorts),
    services: services.map((service) => ({
      name: service.name,
      bind: `127.0.0.1:${service.port}`,
      servers: servers(service.name, service.serverPorts),
    })),
    samplesRule: '  use_backend samples if { path_beg /samples/ }\n',
  });
}

/** For deploy/containers/compose/compose.yaml, whose gateways and splitters are found by asking the engine's name server. */
export function composeBalancerConfig(): string {
  const servers = (name: string, port: number) =>
    `  server-template ${name}- ${MAX_CONTAINERS} ${name}:${port} check resolvers engine init-addr none`;
  return render({
    sections: `resolvers engine
  nameserver engine 127.0.0.11:53
  hold valid 1s
  hold nx 1s

`,
    publicBind: '*:8080',
    gateways: servers('gateway', 8080),
    services: [{ name: 'splitter', bind: '*:9090', servers: servers('splitter', 9090) }],
    samplesRule: '',
  });
}

function render(lines: BalancerLines): string {
  return `global
  maxconn 8192
  hard-stop-after ${HARD_STOP_AFTER_SECONDS}s
  log stdout format raw local0 err

defaults
  log global
  # Failed requests count as errors, and nothing else is written down.
  option log-separate-errors
  # What could not be connected to is tried elsewhere at once.
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response
  timeout connect 2s
  timeout queue 5s
  timeout http-request 15s
  timeout http-keep-alive 65s
  # Streams of events say something every 15 s.
  timeout client 60s
  timeout server 60s
  default-server inter 500ms fastinter 200ms fall 2 rise 1

frontend public
  mode http
  option httplog
  bind ${lines.publicBind}
  # Whatever a caller says about itself is not passed on.
  http-request set-header X-Forwarded-For %[src]
  http-request del-header Forwarded
  # A gateway that took a request and died may have done it.
  http-request disable-l7-retry unless { method GET HEAD }
${lines.samplesRule}  default_backend gateways
${refusals()}

backend gateways
  mode http
  balance roundrobin
  option httpchk
  http-check send meth GET uri /accepting ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  # Who stands still for a moment may be the only one there is.
  timeout check 3s
${lines.gateways}

${lines.sections}${lines.services.map(rpcListener).join('\n')}`;
}

/**
 * By connection, which is what calls are spread over: a draining server gets no more of them, and asks callers to leave
 * those that they have.
 */
function rpcListener({ name, bind, servers }: BalancerLines['services'][number]): string {
  return `listen ${name}
  mode tcp
  # As long-lived as the processes at their ends.
  timeout client 1h
  timeout server 1h
  # Who stands still for a moment is the only one there is, as a rule.
  timeout check 5s
  bind ${bind}
  balance leastconn
  option httpchk
  http-check send meth POST uri /grpc.health.v1.Health/Check ver HTTP/1.1 hdr Host localhost hdr Content-Type application/json body '{"service":"${ACCEPTING}"}'
  http-check expect string '"SERVING"'
${servers}
`;
}

function bindAddress(host: string): string {
  if (host === '0.0.0.0') return '*';
  return host.includes(':') ? `[${host}]` : host;
}

const REFUSALS: readonly (readonly [status: number, code: string, message: string])[] = [
  [500, 'INTERNAL_ERROR', 'Something went wrong on our side. Try again.'],
  [502, 'SERVICE_UNAVAILABLE', 'The connection to the service broke. Try again.'],
  [503, 'SERVICE_UNAVAILABLE', 'The service cannot be reached at the moment. Try again shortly.'],
  [504, 'SERVICE_UNAVAILABLE', 'The service did not answer in time. Try again.'],
];

function refusals(): string {
  return REFUSALS.map(([status, code, message]) => {
    const body = JSON.stringify({ error: { code, message, status } });
    const retry = code === 'SERVICE_UNAVAILABLE' ? ' hdr Retry-After 2' : '';
    return `  http-error status ${status} content-type application/json string '${body}' hdr X-Request-Id %[uuid()]${retry}`;
  }).join('\n');
}
