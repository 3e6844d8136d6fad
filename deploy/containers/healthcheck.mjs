/**
 * Asks the process of this container whether it is ready, and ends with 0 or 1. It imports nothing but Node's own HTTP
 * client, and gives up by itself: Docker starts one every few seconds and does not end those that hang.
 *
 * Readiness, as `docker compose up --wait` waits for it, and no sender of requests uses it: the balancer asks by
 * itself. Where something does act on it, as Swarm does by killing, the check is to be /accepting, or an outage of Postgres
 * would stop every container.
 */
import { existsSync } from 'node:fs';
import { request } from 'node:http';

const TIMEOUT_MS = 4_000;

setTimeout(() => end('no answer in time'), TIMEOUT_MS);
const isGateway = existsSync('/app/gateway');
const port = isGateway ? (process.env.PORT ?? 8080) : (process.env.RPC_PORT ?? 9090);
const asked = request({
  host: '127.0.0.1',
  port,
  path: isGateway ? '/readyz' : '/grpc.health.v1.Health/Check',
  method: isGateway ? 'GET' : 'POST',
  headers: isGateway ? {} : { 'content-type': 'application/json', 'connect-protocol-version': '1' },
});
asked.on('error', (error) => end(error.message));
asked.on('response', async (response) => {
  let said = '';
  for await (const chunk of response.setEncoding('utf8')) said += chunk;
  const isReady = response.statusCode === 200 && (isGateway || JSON.parse(said).status === 'SERVING');
  end(isReady ? undefined : `${response.statusCode} ${said}`);
});
asked.end(isGateway ? undefined : JSON.stringify({ service: 'readiness' }));

function end(problem) {
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  process.exit(problem === undefined ? 0 : 1);
}
