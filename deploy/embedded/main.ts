import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { createLogger } from '@audiosplit/chassis/process/log';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { readLocalConfig } from './config.ts';
import { startEmbeddedSystem } from './embedded-system.ts';
import { describeFirstSteps } from './first-steps.ts';
import { SETTINGS } from './settings.ts';

await runProcess({
  name: 'audiosplit',
  stopTimeoutMs: () => 9_500,
  async start(fatal) {
    const startedAt = performance.now();
    loadSecretFiles(process.env, SETTINGS);
    const config = readLocalConfig(process.env, process.cwd());
    const log = createLogger('local', config.logLevel);
    const system = await startEmbeddedSystem({ config, log, env: process.env, fatal, withOperators: true });
    process.stdout.write(describeFirstSteps(system, (performance.now() - startedAt) / 1000));
    return system;
  },
});
