import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an operator would bring along as secrets; the embedded run makes them once and keeps them. */
export interface InstallationSecrets {
  readonly internalSecret: string;
  readonly authSecret: string;
  readonly downloadSecret: string;
  /** Of the one operator that an installation on one's own machine has. */
  readonly operatorSecret: string;
}

const FILE_NAME = 'secrets.json';
const NAMES = ['internalSecret', 'authSecret', 'downloadSecret', 'operatorSecret'] as const;

export async function readOrMakeSecrets(dataDir: string): Promise<InstallationSecrets> {
  const path = join(dataDir, FILE_NAME);
  const kept = await readFile(path, 'utf8').then(
    (json) => JSON.parse(json) as Partial<InstallationSecrets>,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return {} as Partial<InstallationSecrets>;
      throw error;
    },
  );
  const secrets = Object.fromEntries(
    NAMES.map((name) => [name, kept[name] ?? randomBytes(32).toString('base64url')]),
  ) as Record<(typeof NAMES)[number], string>;
  if (NAMES.some((name) => kept[name] === undefined)) {
    await writeFile(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  return secrets;
}
