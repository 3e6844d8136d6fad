/** The wheel that a release publishes, installed with its dependencies and nothing else. */
import { type ChildProcess, execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Task } from '../../deploy/provision/task.ts';
import { providePython } from '../../deploy/python-client/environment.ts';

const runFile = promisify(execFile);
const MAX_BUFFER = 16 * 1024 * 1024;

interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly onStart?: (child: ChildProcess) => void;
}

export interface PythonPackage {
  readonly python: string;
  /** Runs Python with the wheel installed and returns its output. Rejects if the exit code is not 0. */
  run(args: readonly string[], options: RunOptions): Promise<string>;
}

/** `folder` is empty, and is kept as long as the package is in use. */
export async function installWheel(wheel: string, folder: string, task: Task): Promise<PythonPackage> {
  const python = await providePython(task);
  const site = join(folder, 'site');
  const install = [
    '-m',
    'pip',
    '--disable-pip-version-check',
    'install',
    '--quiet',
    '--no-deps',
    '--no-index',
  ];
  await runFile(python, [...install, '--target', site, wheel]);
  return {
    python,
    async run(args, { cwd, env = {}, input = '', onStart }) {
      const running = runFile(python, args, {
        cwd,
        env: { PATH: '/usr/bin:/bin', HOME: folder, PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: '1', ...env },
        maxBuffer: MAX_BUFFER,
      });
      onStart?.(running.child);
      running.child.stdin?.end(input);
      return (await running).stdout;
    },
  };
}
