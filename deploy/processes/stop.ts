import { rm } from 'node:fs/promises';
import { runToEnd } from '@audiosplit/chassis/process/lifecycle';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { SETTINGS } from '../embedded/settings.ts';
import { stopEngines } from '../engines/stop-engines.ts';
import { helpOf, parseOptions } from '../provision/options.ts';
import { isAlive, terminate } from '../provision/process-identity.ts';
import { reportTo } from '../provision/progress.ts';
import { DOWN } from './command-line.ts';
import { enginesFolder } from './installation.ts';
import { readInstallationConfig } from './installation-config.ts';
import { forgetRunningState, readRunningState, stopLeftBehind } from './running-state.ts';

/** Longer than the supervisor's own timeout. */
const SUPERVISOR_GRACE_MS = 100_000;

await runToEnd('audiosplit', async () => {
  const { 'delete-data': deleteData, help } = parseOptions(DOWN, process.argv.slice(2));
  if (help) return void process.stdout.write(helpOf(DOWN));
  loadSecretFiles(process.env, SETTINGS);
  const dataDir = readInstallationConfig(process.env, process.cwd()).dataDir;
  const report = reportTo(process.stdout);
  const state = readRunningState(dataDir);
  if (state !== undefined && isAlive(state.supervisor)) {
    report('up', `stopping everything in order (pid ${state.supervisor.pid}) …`);
    report('up', await terminate(state.supervisor, 'SIGTERM', SUPERVISOR_GRACE_MS));
  }
  for (const name of await stopLeftBehind(dataDir)) report(name, 'stopped');
  forgetRunningState(dataDir);
  await stopEngines({ dir: enginesFolder(dataDir), keepData: !deleteData, report });
  if (deleteData) await rm(dataDir, { recursive: true, force: true });
  process.stdout.write(
    deleteData ? 'All down, the data is deleted.\n' : `All down; the data stays in ${dataDir}.\n`,
  );
});
