/**
 * The single image, `audiosplit`: without an argument it runs the whole product in one process; with the name
 * of a process as its argument it runs that process of a cluster. Only the code of that process is loaded.
 */
import { isSet } from '@audiosplit/chassis/process/settings';

const PROCESSES: Readonly<Record<string, () => Promise<unknown>>> = {
  gateway: () => import('@audiosplit/gateway/main'),
  operators: () => import('@audiosplit/gateway/operators/main'),
  auth: () => import('@audiosplit/auth/main'),
  account: () => import('@audiosplit/account/main'),
  billing: () => import('@audiosplit/billing/main'),
  jobs: () => import('@audiosplit/jobs/main'),
  splitter: () => import('@audiosplit/splitter/main'),
  webhooks: () => import('@audiosplit/webhooks/main'),
};

const { env } = process;
const [name, ...others] = process.argv.slice(2);
const startProcess = PROCESSES[name ?? ''];

if (name === undefined) {
  const { runEmbedded } = await import('./run.ts');
  // In a container, 127.0.0.1 cannot be reached from outside.
  Object.assign(env, { HOST: env.HOST ?? '0.0.0.0', DATA_DIR: env.DATA_DIR ?? '/data' });
  // Without a published port the operators' page could not be opened.
  const withOperators = isSet(env, 'OPERATORS_PORT');
  await runEmbedded({ env, withOperators, lastSteps: 'Stop with Ctrl-C or docker stop.' });
} else if (startProcess !== undefined && others.length === 0) {
  await startProcess();
} else {
  const known = Object.keys(PROCESSES).join(', ');
  process.stderr.write(
    `audiosplit: ${process.argv.slice(2).join(' ')} is no process. Without an argument the whole product starts; the processes of a cluster are ${known}.\n`,
  );
  process.exitCode = 1;
}
