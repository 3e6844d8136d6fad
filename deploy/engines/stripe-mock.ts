import { ensureGoProgram } from '../provision/go-program.ts';
import type { Launch } from '../provision/launch.ts';
import { versions } from '../provision/versions.ts';
import type { Address, Engine, Preparation } from './engine.ts';

/** Stripe's own mock of its API: it checks requests against the API description and responds with samples. */
export const stripeMock: Engine = {
  name: 'stripe-mock',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  endpoints: (address) => ({ stripeMockUrl: url(address) }),
};

async function prepare({ port, task }: Preparation): Promise<Launch> {
  const { stripeMock: version, stripeMockMinimumGo: minimumGo } = versions;
  const program = { name: 'stripe-mock', package: 'github.com/stripe/stripe-mock', version, minimumGo };
  const command = await ensureGoProgram(program, task);
  // It also serves HTTPS, by default on a fixed port that only one run could use.
  return { command, args: ['-http-addr', `127.0.0.1:${port}`, '-https-addr', '127.0.0.1:0'] };
}

async function probe(address: Address): Promise<void> {
  const response = await fetch(`${url(address)}/v1/balance`, {
    // It accepts any key that looks like a test key.
    headers: { authorization: 'Bearer sk_test_probe' },
    signal: AbortSignal.timeout(2_000),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the balance was answered with HTTP ${response.status}`);
}

function url({ port }: Address): string {
  return `http://127.0.0.1:${port}`;
}
