/** Starts a balancer for a single test. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BALANCER_STOP_SIGNAL,
  type BalancerAddresses,
  balancerArguments,
  balancerConfig,
  ensureBalancer,
} from '../../../deploy/processes/balancer.ts';
import { startManagedProcess } from '../../../deploy/processes/process/managed-process.ts';
import { createProcessLog } from '../../../deploy/processes/process/process-log.ts';
import { httpReadiness } from '../../../deploy/processes/process/readiness.ts';
import { freePort } from '../../../deploy/provision/free-port.ts';
import { reportedTask } from '../../../deploy/provision/progress.ts';

/** Resolves once a gateway responds through it. Its configuration and log are written to `folder`. */
export async function startBalancer(
  folder: string,
  behind: Pick<BalancerAddresses, 'gatewayPorts' | 'services' | 'samplesPort'>,
) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const configFile = join(folder, 'balancer.cfg');
  await writeFile(configFile, balancerConfig({ host: '127.0.0.1', port, ...behind }));
  const task = reportedTask('balancer', () => undefined, new AbortController().signal);
  const spec = {
    name: 'balancer',
    command: await ensureBalancer(task),
    args: balancerArguments(configFile),
    env: {},
    stopSignal: BALANCER_STOP_SIGNAL,
    stopTimeoutMs: 10_000,
    check: httpReadiness(`${baseUrl}/accepting`),
  } as const;
  const log = createProcessLog(join(folder, 'balancer.log'));
  const process = startManagedProcess(spec, { log, restart: false, onChange: () => undefined });
  await process.firstReady;
  return { baseUrl, process, [Symbol.asyncDispose]: async () => void (await process.stop()) };
}
