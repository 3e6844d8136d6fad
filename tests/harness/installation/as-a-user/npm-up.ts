/**
 * `npm run up`: separate processes on real engines. Every start is on the folder that the runner has made for the suite,
 * whose engines run throughout, because to start them takes longer than many scenarios.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readState } from '../../../../deploy/engines/engines-state.ts';
import { startEngines } from '../../../../deploy/engines/start-engines.ts';
import { enginesFolder } from '../../../../deploy/processes/installation.ts';
import { INSTALLATION_ENGINES } from '../../../../deploy/processes/installation-config.ts';
import { readRunningState } from '../../../../deploy/processes/running-state.ts';
import { isAlive, terminate } from '../../../../deploy/provision/process-identity.ts';
import { reportTo } from '../../../../deploy/provision/progress.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { ONE_ADDRESS } from '../one-address.ts';
import { runCommand } from './command.ts';
import { forgetCounts } from './counts.ts';
import { killGroup, startProduct } from './start-product.ts';
import type { UserStart } from './user-start.ts';

/** Two processes of each kind, so that what one of them knows has to reach the other. */
const OPTIONS = ['--gateways', '2', '--splitters', '2', '--keep-engines'] as const;
const LAUNCHER = ['node', 'deploy/launcher.mjs', 'up', ...OPTIONS] as const;
const STOP_TIMEOUT_MS = 60_000;

/** With its engines, in the folder under test. Progress goes to standard error. */
export async function openUpFolder(root: string) {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  // Postgres runs under an account of its own and has to pass through to its data.
  await chmod(folder.path, 0o711);
  const dataDir = join(folder.path, 'data');
  await mkdir(dataDir);
  opening.defer(async () => {
    const down = ['node', 'deploy/launcher.mjs', 'down', '--delete-data'] as const;
    const { stderr } = await runCommand(down, { cwd: root, env: { DATA_DIR: dataDir } });
    process.stderr.write(stderr);
  });
  // Before any scenario's time runs: the first time ever, Kafka is fetched and versitygw is built.
  const report = reportTo(process.stderr);
  await startEngines({ dir: enginesFolder(dataDir), only: INSTALLATION_ENGINES, restricted: true, report });
  const opened = opening.move();
  return { dataDir, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export function npmUp(dataDir: string): UserStart {
  const redisUrl = () => {
    const { redisUrl: url } = readState(enginesFolder(dataDir)).redis?.endpoints ?? {};
    if (url === undefined) throw new Error('the installation has a Redis of its own');
    return url;
  };
  return {
    launcher: LAUNCHER,
    npm: ['npm', 'run', '--silent', 'up', '--', ...OPTIONS],
    sharedEnv: {
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      ...ONE_ADDRESS,
      // Events of one partition wait for the splitter that has it, so each needs room for all that an account may run.
      SPLITTER_CONCURRENCY: '2',
    },
    forgetCounts: () => forgetCounts(redisUrl()),
    async start({ env = {}, command = LAUNCHER }) {
      // A scenario that failed has left one.
      const left = readRunningState(dataDir);
      if (left !== undefined) await terminate(left.supervisor, 'SIGTERM', STOP_TIMEOUT_MS);
      await forgetCounts(redisUrl());
      return startProduct(command, {
        // Its database stays from one start to the next.
        env: { REGISTRATIONS_PER_HOUR: '0', ...env },
        dataDir,
        stopTimeoutMs: STOP_TIMEOUT_MS,
        findParts() {
          const parts = readRunningState(dataDir)?.processes ?? [];
          return {
            running: async () => parts.filter(isAlive).map(({ name }) => name),
            kill: () => parts.forEach(({ pid }) => void killGroup(pid)),
          };
        },
      });
    },
  };
}
