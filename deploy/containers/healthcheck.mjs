/**
 * Checks whether this container's process is ready, and exits with 0 or 1. It imports only Node's own HTTP
 * client, and has a timeout of its own: Docker starts a check every few seconds and does not end those that
 * hang.
 *
 * It checks readiness because `docker compose up --wait` waits for it, and nothing routes requests by it: the
 * balancer has its own checks. On a platform that acts on the check, such as Swarm, which kills the
 * container, use /accepting instead; otherwise an outage of Postgres would stop every container.
 */
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';

const TIMEOUT_MS = 4_000;

setTimeout(() => end('no answer in time'), TIMEOUT_MS);
const target = targetOf(processName());
const asked = request({ host: '127.0.0.1', ...target });
asked.on('error', (error) => end(error.message));
asked.on('response', async (response) => {
  let said = '';
  for await (const chunk of response.setEncoding('utf8')) said += chunk;
  const isReady =
    response.statusCode === 200 && (target.method === 'GET' || JSON.parse(said).status === 'SERVING');
  end(isReady ? undefined : `${response.statusCode} ${said}`);
});
asked.end(target.method === 'GET' ? undefined : JSON.stringify({ service: 'readiness' }));

/** The single image runs each process by its argument, which only the container's first process has. */
function processName() {
  const [name] = readFileSync('/proc/1/cmdline', 'utf8').split('/app/main.js\0')[1]?.split('\0') ?? [];
  return name || (existsSync('/app/gateway') ? 'gateway' : 'service');
}

function targetOf(name) {
  const { PORT = 8080, OPERATORS_PORT = 8090, RPC_PORT = 9090 } = process.env;
  if (name === 'gateway') return { port: PORT, method: 'GET', path: '/readyz' };
  if (name === 'operators') return { port: OPERATORS_PORT, method: 'GET', path: '/healthz' };
  return {
    port: RPC_PORT,
    method: 'POST',
    path: '/grpc.health.v1.Health/Check',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
  };
}

function end(problem) {
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  process.exit(problem === undefined ? 0 : 1);
}
