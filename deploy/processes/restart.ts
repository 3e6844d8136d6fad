import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd, StartError } from '@audiosplit/chassis/process/lifecycle';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { SETTINGS } from '../embedded/settings.ts';
import { helpOf, parseOptions } from '../provision/options.ts';
import { isAlive } from '../provision/process-identity.ts';
import { RESTART } from './command-line.ts';
import { readInstallationConfig } from './installation-config.ts';
import { RESTART_SIGNAL } from './rolling-restart.ts';
import { readRunningState } from './running-state.ts';

const LOOK_EVERY_MS = 100;

await runToEnd('audiosplit', async () => {
  if (parseOptions(RESTART, process.argv.slice(2)).help) return void process.stdout.write(helpOf(RESTART));
  loadSecretFiles(process.env, SETTINGS);
  const dataDir = readInstallationConfig(process.env, process.cwd()).dataDir;
  const readState = () => {
    const state = readRunningState(dataDir);
    if (state?.baseUrl === undefined || !isAlive(state.supervisor)) {
      throw new StartError(`nothing runs in ${dataDir}: start it with npm run up`);
    }
    return state;
  };
  const { supervisor, rollingRestart: last } = readState();
  const isJoining = last?.state === 'running';
  const number = isJoining ? last.number : (last?.number ?? 0) + 1;
  if (isJoining) process.stdout.write('A restart is in progress already; this is its report.\n');
  else process.kill(supervisor.pid, RESTART_SIGNAL);

  for (let shown = 0; ; ) {
    const { rollingRestart } = readState();
    if (rollingRestart?.number === number) {
      const { state, lines } = rollingRestart;
      for (const line of lines.slice(shown)) process.stdout.write(`${line}\n`);
      shown = lines.length;
      if (state === 'failed')
        throw new StartError('the restart broke off; what had not been replaced runs on');
      if (state === 'done') break;
    }
    await sleep(LOOK_EVERY_MS);
  }
  process.stdout.write('Everything has been replaced.\n');
});
