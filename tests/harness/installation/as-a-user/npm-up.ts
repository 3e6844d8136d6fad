/**
 * `npm run up`: separate processes on real engines. Every start uses the folder that the runner created for
 * the suite. Its engines run throughout, because starting them takes longer than many scenarios.
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

/** Two processes of each kind, so that tests notice state that one process does not share with the other. */
const OPTIONS = ['--gateways', '2', '--splitters', '2', '--keep-engines'] as const;
const LAUNCHER = ['node', 'deploy/launcher.mjs', 'up', ...OPTIONS] as const;
const STOP_TIMEOUT_MS = 60_000;

/** With its engines, in the folder under test. Reports progress to standard error. */
export async function openUpFolder(root: string) {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  // Postgres runs as a separate account and needs to traverse the folder to its data.
  await chmod(folder.path, 0o711);
  const dataDir = join(folder.path, 'data');
  await mkdir(dataDir);
  opening.defer(async () => {
    const down = ['node', 'deploy/launcher.mjs', 'down', '--delete-data'] as const;
    const { stderr } = await runCommand(down, { cwd: root, env: { DATA_DIR: dataDir } });
    process.stderr.write(stderr);
  });
  // Done before any scenario's timeout runs: at the very first start, Kafka is downloaded and versitygw is
  // built.
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
      // The events of a partition wait for the splitter that owns it, so each splitter needs room for all
      // jobs that an account may run.
      SPLITTER_CONCURRENCY: '2',
    },
    forgetCounts: () => forgetCounts(redisUrl()),
    async start({ env = {}, command = LAUNCHER }) {
      // A failed scenario may have left it running.
      const left = readRunningState(dataDir);
      if (left !== undefined) await terminate(left.supervisor, 'SIGTERM', STOP_TIMEOUT_MS);
      await forgetCounts(redisUrl());
      return startProduct(command, {
        // Its database is kept from one start to the next.
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
