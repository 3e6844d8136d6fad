/** The Python client as a release would publish it: built, and installed beside what it depends on and nothing else. */
import { type ChildProcess, execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Task } from '../../deploy/provision/task.ts';
import { PYTHON_CLIENT, providePython } from '../../deploy/python-client/environment.ts';

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
  /** Paths in the wheel and in the source distribution, a line each. */
  readonly files: { readonly wheel: string; readonly source: string };
  /** Python with the wheel installed: what it wrote. Rejects where it leaves with another code than 0. */
  run(args: readonly string[], options: RunOptions): Promise<string>;
}

/** `folder` is empty, and stays as long as the package is in use. */
export async function buildPythonPackage(folder: string, task: Task): Promise<PythonPackage> {
  const python = await providePython(task);
  const [out, site] = [join(folder, 'dist'), join(folder, 'site')];
  // What builds it is of the lock, so nothing is fetched.
  await runFile(python, ['-m', 'build', '--no-isolation', '--outdir', out], { cwd: PYTHON_CLIENT });
  const names = await readdir(out);
  const pathOf = (end: string) => join(out, names.find((name) => name.endsWith(end)) ?? end);
  const [wheel, source] = [pathOf('.whl'), pathOf('.tar.gz')];
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
    files: {
      wheel: (await runFile(python, ['-m', 'zipfile', '-l', wheel])).stdout,
      source: (await runFile('tar', ['-tzf', source])).stdout,
    },
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
