/** The folder that the distributed run has for the length of the suite; its engines are brought up with it, and go with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '../../../deploy/engines/start-engines.ts';
import { enginesFolder } from '../../../deploy/processes/installation.ts';
import { INSTALLATION_ENGINES } from '../../../deploy/processes/installation-config.ts';
import { reportTo } from '../../../deploy/provision/progress.ts';
import { newcomersEnvironment } from './environment.ts';

export interface SuiteInstallation extends AsyncDisposable {
  readonly dataDir: string;
}

/** `root` is the folder under test. Progress goes to standard error. */
export async function openInstallation(root: string): Promise<SuiteInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-installation-'));
  // Postgres runs under an account of its own and has to pass through to its data.
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const clear = async () => {
    await down(root, dataDir);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Before any scenario's time runs: the first time ever, Kafka is fetched and versitygw is built.
    await startEngines({
      dir: enginesFolder(dataDir),
      only: INSTALLATION_ENGINES,
      report: reportTo(process.stderr),
    });
  } catch (error) {
    await clear();
    throw error;
  }
  return { dataDir, [Symbol.asyncDispose]: clear };
}

async function down(root: string, dataDir: string): Promise<void> {
  const child = spawn('node', ['deploy/launcher.mjs', 'down', '--delete-data'], {
    cwd: root,
    env: newcomersEnvironment({ DATA_DIR: dataDir }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
}
