/**
 * HAProxy from Debian's packages: one address for all gateways, and one for each service.
 *
 * Health checks test whether a process accepts calls, so that a draining one gets no new ones. They do not test
 * readiness: it depends on engines that all gateways share, so the balancer would lose all of them at once. A request
 * that reached no gateway is sent to another, and so is a GET without a response; nothing else is sent twice. HAProxy's
 * own errors have the API's envelope, except for bytes that are not HTTP: it rejects those before it reads its rules.
 */
import { FLOOD_HEADER } from '@audiosplit/chassis/net/client-network';
import { ACCEPTING } from '@audiosplit/chassis/rpc/health';
import { ensureDebianProgram } from '../provision/debian-program.ts';
import type { Task } from '../provision/task.ts';

export interface BalancerAddresses {
  readonly host: string;
  readonly port: number;
  readonly gatewayPorts: readonly number[];
  /** The port where callers reach each service, and those of its processes. */
  readonly services: readonly {
    readonly name: string;
    readonly port: number;
    readonly serverPorts: readonly number[];
  }[];
  readonly samplesPort: number;
}

/** HAProxy's lines that differ between processes of one machine and containers. */
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

/** HAProxy resolves at most this many gateways and splitters by name. */
const MAX_CONTAINERS = 16;

/** New ones a second. */
const CONNECTIONS_OF_FLOODING_ADDRESS = 2;

/** Connections may last this long after the stop signal. */
const HARD_STOP_AFTER_SECONDS = 5;

/** Resolves with the program's path; installs it if it is missing. Throws ProvisionError. */
export function ensureBalancer(task: Task): Promise<string> {
  return ensureDebianProgram({ title: 'HAProxy', names: ['haproxy'], packageName: 'haproxy' }, task);
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

/** For deploy/containers/compose/compose.yaml: the container engine's name server resolves gateways and splitters. */
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
  # Failed requests are logged as errors, and no others.
  option log-separate-errors
  # A failed connection is tried at another server at once.
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response
  timeout connect 2s
  timeout queue 5s
  timeout http-request 15s
  timeout http-keep-alive 65s
  # Event streams send something every 15 s.
  timeout client 60s
  timeout server 60s
  default-server inter 500ms fastinter 200ms fall 2 rise 1

frontend public
  mode http
  option httplog
  bind ${lines.publicBind}
  # Gateways say which addresses flood (docs/decisions/0051). New connections of such an address are limited. Each of its
  # refusals ends its connection, so its requests are limited too.
  stick-table type ipv6 size 100k expire 1m store gpc0_rate(1m),sess_rate(1s)
  tcp-request connection track-sc0 src,ipmask(32,64)
  tcp-request connection reject if { sc_gpc0_rate(0) gt 0 } { sc_sess_rate(0) ge ${CONNECTIONS_OF_FLOODING_ADDRESS} }
  http-response sc-inc-gpc0(0) if { res.hdr(${FLOOD_HEADER}) -m found }
  http-response set-header Connection close if { res.hdr(${FLOOD_HEADER}) -m found }
  http-response del-header ${FLOOD_HEADER}
  # Callers cannot set their own address.
  http-request set-header X-Forwarded-For %[src]
  http-request del-header Forwarded
  # A gateway that died with a request may have carried it out.
  http-request disable-l7-retry unless { method GET HEAD }
${lines.samplesRule}  default_backend gateways
${refusals()}

backend gateways
  mode http
  balance roundrobin
  option httpchk
  http-check send meth GET uri /accepting ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  # A gateway that is slow for a moment may be the only one.
  timeout check 3s
${lines.gateways}

${lines.sections}${lines.services.map(rpcListener).join('\n')}`;
}

/** Balances connections, not calls: a draining server gets no new ones, and makes its callers close theirs. */
function rpcListener({ name, bind, servers }: BalancerLines['services'][number]): string {
  return `listen ${name}
  mode tcp
  # As long as the processes at both ends live.
  timeout client 1h
  timeout server 1h
  # A process that is slow for a moment is usually the only one.
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
