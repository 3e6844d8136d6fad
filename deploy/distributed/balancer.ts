/**
 * One address before all gateways, and one before all splitters: HAProxy from Debian's packages.
 *
 * Gateways are asked for /readyz, so that one that drains or has lost an engine gets nothing new. What has reached no
 * gateway is tried on another, and so is a GET that got no answer; nothing else is ever sent twice. HAProxy's own refusals have the API's envelope, but for
 * that of bytes that are no HTTP, which it answers before any configuration is looked at.
 */

import { installPackages } from '../engines/debian-packages.ts';
import type { Task } from '../engines/engine.ts';
import { findExecutable } from '../engines/executable.ts';
import { ProvisionError } from '../engines/provision-error.ts';

export interface BalancerAddresses {
  readonly host: string;
  readonly port: number;
  readonly gatewayPorts: readonly number[];
  readonly splitterPort: number;
  readonly splitterPorts: readonly number[];
  /** Serves /samples/. */
  readonly samplesPort: number;
}

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
  const { host, port, gatewayPorts, splitterPort, splitterPorts, samplesPort } = addresses;
  const servers = (name: string, ports: readonly number[]) =>
    ports.map((each, n) => `  server ${name}-${n} 127.0.0.1:${each} check`).join('\n');
  return `global
  maxconn 8192
  hard-stop-after ${HARD_STOP_AFTER_SECONDS}s
  log stdout format raw local0 err

defaults
  log global
  # Failed requests count as errors, and nothing else is written down.
  option log-separate-errors
  option redispatch
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
  bind ${bindAddress(host)}:${port}
  # Whatever a caller says about itself is not passed on.
  http-request set-header X-Forwarded-For %[src]
  http-request del-header Forwarded
  # A gateway that took a request and died may have done it.
  http-request disable-l7-retry unless { method GET HEAD }
  use_backend samples if { path_beg /samples/ }
  default_backend gateways
${refusals()}

backend gateways
  mode http
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
${servers('gateway', gatewayPorts)}

backend samples
  mode http
  server samples 127.0.0.1:${samplesPort}

listen splitters
  mode tcp
  # Connections of RPC last; they are as long-lived as the processes at their ends.
  timeout client 1h
  timeout server 1h
  bind 127.0.0.1:${splitterPort}
  balance leastconn
${servers('splitter', splitterPorts)}
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
