/** Asks the gateway beside it whether it is ready and ends with 0 or 1, for a container's health check. PORT as the gateway has it. */
import { messageOf } from '@audiosplit/chassis/errors';
import { readGatewayConfig } from './config.ts';

const TIMEOUT_MS = 4_000;

try {
  const { port } = readGatewayConfig(process.env);
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const said = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${said}`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
