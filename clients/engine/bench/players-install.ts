/** Finds the judging programs, and has Debian's packages of those that are missing installed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Paths of the programs, by their names. */
export type Judges = Readonly<Record<Judge, string>>;
type Judge = 'ffmpeg' | 'flac' | 'mpg123' | 'oggz-validate';

const PACKAGES: Readonly<Record<Judge, string>> = {
  ffmpeg: 'ffmpeg',
  flac: 'flac',
  mpg123: 'mpg123',
  'oggz-validate': 'oggz-tools',
};
const JUDGES = Object.keys(PACKAGES) as readonly Judge[];

/** Throws with what a person has to do where a program is missing and cannot be installed. */
export async function findJudges(report: (line: string) => void): Promise<Judges> {
  let found = await look();
  const missing = JUDGES.filter((name) => found[name] === undefined).map((name) => PACKAGES[name]);
  if (missing.length > 0) {
    report(`installing ${missing.join(', ')}`);
    await install(missing).catch((error: unknown) => {
      throw new Error(
        `${missing.join(', ')} could not be installed; on Debian: apt-get install ${missing.join(' ')}`,
        { cause: error },
      );
    });
    found = await look();
  }
  const { ffmpeg, flac, mpg123, 'oggz-validate': oggzValidate } = found;
  if (!ffmpeg || !flac || !mpg123 || !oggzValidate)
    throw new Error(`not all of ${JUDGES.join(', ')} are on the PATH`);
  return { ffmpeg, flac, mpg123, 'oggz-validate': oggzValidate };
}

async function look(): Promise<Partial<Judges>> {
  const paths = await Promise.all(JUDGES.map(async (name) => [name, await findOnPath(name)] as const));
  return Object.fromEntries(paths.filter(([, path]) => path !== undefined));
}

/** POSIX leaves the way to look along the PATH to the shell. */
function findOnPath(name: string): Promise<string | undefined> {
  return run('sh', ['-c', 'command -v "$1"', 'sh', name]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

async function install(packages: readonly string[]): Promise<void> {
  const [command, ...prefix] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  if (command === undefined) return;
  await run(command, [...prefix, 'update', '-qq']);
  await run(command, [...prefix, 'install', '-y', '-qq', '--no-install-recommends', ...packages]);
}
