/** The description of a backup. It is written last: a folder without it holds no backup. */
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256OfFile } from '@audiosplit/chassis/file-digest';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export const DUMP_FILE = 'database.dump';
export const IN_FLIGHT_FILE = 'in-flight.jsonl';
const MANIFEST_FILE = 'manifest.json';
const FORMAT = 1;

export interface BackupManifest {
  readonly format: typeof FORMAT;
  /** Time of the snapshot, by the database's clock. */
  readonly takenAt: string;
  readonly postgresVersion: string;
  readonly schemas: readonly SchemaOwner[];
  /** Names of the migrations that each schema had, in order. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  /** Rows of each table in the snapshot, by `schema.table`. */
  readonly rows: Readonly<Record<string, number>>;
  /**
   * The location of events that no outbox contained any more: Kafka, or the schema `bus`, which is part of
   * the dump.
   */
  readonly bus: 'kafka' | 'postgres';
  readonly inFlightEvents: number;
  readonly sha256: Readonly<Record<string, string>>;
}

export interface SchemaOwner {
  readonly name: string;
  readonly role: string;
}

export async function writeManifest(
  folder: string,
  manifest: Omit<BackupManifest, 'format' | 'sha256'>,
): Promise<BackupManifest> {
  const sha256 = {
    [DUMP_FILE]: await sha256OfFile(join(folder, DUMP_FILE)),
    [IN_FLIGHT_FILE]: await sha256OfFile(join(folder, IN_FLIGHT_FILE)),
  };
  const complete: BackupManifest = { format: FORMAT, ...manifest, sha256 };
  const path = join(folder, MANIFEST_FILE);
  await writeFile(`${path}.partial`, `${JSON.stringify(complete, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.partial`, path);
  return complete;
}

/** Whether the folder holds a complete backup. Its files are not read. */
export function isBackup(folder: string): boolean {
  return existsSync(join(folder, MANIFEST_FILE));
}

/** Checks every file against its checksum. Throws StartError if the backup is incomplete. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => {
    throw new StartError(`${folder} holds no backup: there is no ${MANIFEST_FILE} in it`);
  });
  const manifest = JSON.parse(text) as BackupManifest;
  if (manifest.format !== FORMAT) {
    throw new StartError(`the backup in ${folder} has format ${manifest.format}, this code reads ${FORMAT}`);
  }
  for (const [file, expected] of Object.entries(manifest.sha256)) {
    const found = await sha256OfFile(join(folder, file)).catch(() => 'no such file');
    if (found !== expected) throw new StartError(`${join(folder, file)} is damaged: SHA-256 ${found}`);
  }
  return manifest;
}
