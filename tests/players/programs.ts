/** The programs that judge segments, and their Debian packages. */
import { installPackages } from '../../deploy/provision/debian-packages.ts';
import { findExecutable } from '../../deploy/provision/executable.ts';
import { ProvisionError } from '../../deploy/provision/provision-error.ts';
import type { Task } from '../../deploy/provision/task.ts';

const PACKAGES = {
  ffmpeg: 'ffmpeg',
  mpg123: 'mpg123',
  oggdec: 'vorbis-tools',
  opusdec: 'opus-tools',
  'oggz-validate': 'oggz-tools',
  flac: 'flac',
  faad: 'faad',
} as const;

export type Program = keyof typeof PACKAGES;
/** Paths by name. */
export type Programs = Readonly<Record<Program, string>>;

/** Installs what is missing. Throws ProvisionError if it cannot: no program is left out. */
export async function ensurePrograms(task: Task): Promise<Programs> {
  const missing = Object.entries(PACKAGES).filter(([name]) => findExecutable(name) === undefined);
  const packages = missing.map(([, packageName]) => packageName);
  if (packages.length > 0) await installPackages(packages, 'a player', task);
  const paths = Object.keys(PACKAGES).map((name) => {
    const path = findExecutable(name);
    if (path === undefined) throw new ProvisionError(`no ${name} on the PATH, though apt-get installed it`);
    return [name, path];
  });
  return Object.fromEntries(paths);
}
