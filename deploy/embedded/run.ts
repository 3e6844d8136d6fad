/** The embedded system as a process: it prints the first steps on standard output, and stops on a signal. */
import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { createLogger } from '@audiosplit/chassis/process/log';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { readLocalConfig } from './config.ts';
import { startEmbeddedSystem } from './embedded-system.ts';
import { describeFirstSteps } from './first-steps.ts';
import { SETTINGS } from './settings.ts';

/** A container is killed 10 s after it was asked to stop. */
const STOP_TIMEOUT_MS = 9_500;

/** Secrets that `env` contains as files are added to it. */
export async function runEmbedded(options: {
  readonly env: NodeJS.ProcessEnv;
  readonly withOperators: boolean;
  /** The end of the printed text. */
  readonly lastSteps: string;
}): Promise<void> {
  const { env, withOperators, lastSteps } = options;
  await runProcess({
    name: 'audiosplit',
    stopTimeoutMs: () => STOP_TIMEOUT_MS,
    async start(fatal) {
      const startedAt = performance.now();
      loadSecretFiles(env, SETTINGS);
      const config = readLocalConfig(env, process.cwd());
      const log = createLogger('local', config.logLevel);
      const system = await startEmbeddedSystem({ config, log, env, fatal, withOperators });
      const seconds = (performance.now() - startedAt) / 1_000;
      process.stdout.write(describeFirstSteps(system, seconds, lastSteps));
      return system;
    },
  });
}
