import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAMES = ['internalSecret', 'authSecret', 'downloadSecret', 'operatorSecret'] as const;

/**
 * Secrets that an operator would provide; the embedded run makes them once and keeps them. `operatorSecret` belongs to the
 * single operator of a local installation.
 */
export type InstallationSecrets = Readonly<Record<(typeof NAMES)[number], string>>;

export async function readOrMakeSecrets(dataDir: string): Promise<InstallationSecrets> {
  const path = join(dataDir, 'secrets.json');
  const json = existsSync(path) ? await readFile(path, 'utf8') : '{}';
  const kept = JSON.parse(json) as Partial<InstallationSecrets>;
  const secrets = Object.fromEntries(
    NAMES.map((name) => [name, kept[name] ?? randomBytes(32).toString('base64url')]),
  ) as InstallationSecrets;
  if (NAMES.some((name) => kept[name] === undefined)) {
    await writeFile(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  return secrets;
}
