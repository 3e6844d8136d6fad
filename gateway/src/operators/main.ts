/** Runs the operators' console in its own process. */
import { systemClock } from '@audiosplit/chassis/clock';
import { openOperations } from '@audiosplit/chassis/event-bus/operator/open-operations';
import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { createLogger } from '@audiosplit/chassis/process/log';
import { addressFromEnv } from '@audiosplit/chassis/process/rpc-urls';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { readOperatorsProcessConfig, SETTINGS } from './config.ts';
import { readOperatorsPages, startOperators } from './service.ts';

const STOP_TIMEOUT_MS = 10_000;

await runProcess({
  name: 'audiosplit-operators',
  stopTimeoutMs: () => STOP_TIMEOUT_MS,
  async start() {
    loadSecretFiles(process.env, SETTINGS);
    const { operators, bus, keys, logLevel } = readOperatorsProcessConfig(process.env);
    const addresses = {
      auth: addressFromEnv(process.env, 'auth'),
      jobs: addressFromEnv(process.env, 'jobs'),
      billing: addressFromEnv(process.env, 'billing'),
    };
    return startOperators(operators, {
      addressOf: (service) => addresses[service],
      openBus: () => openOperations(bus),
      log: createLogger('operators', logLevel),
      clock: systemClock,
      keys,
      pages: await readOperatorsPages(),
    });
  },
});
