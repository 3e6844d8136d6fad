/**
 * The recorded state of an earlier version: its database as SQL, and the responses of its API. There is one
 * pair of files for each version from which upgrades are supported, `<name>.sql.gz` and `<name>.json`.
 */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SchemaOwner } from '../../deploy/operations/manifest.ts';

export interface RecordedDatabase {
  readonly schemas: readonly SchemaOwner[];
  /** From `DATA_DIR/secrets.json`; made for the recording, and used nowhere else. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  /** Newest first. */
  readonly jobs: readonly RecordedJob[];
  readonly invoices: readonly { readonly id: string; readonly number: string; readonly amount: number }[];
  /** `YYYY-MM`. */
  readonly month: string;
  readonly jobsCompleted: number;
  readonly webhookSecret: string;
}

export interface RecordedJob {
  readonly id: string;
  readonly status: string;
  readonly segments: number;
}

const RECORDINGS_DIR = import.meta.dirname;

export function recordedNames(): string[] {
  return globSync('*.sql.gz', { cwd: RECORDINGS_DIR })
    .map((file) => file.slice(0, -'.sql.gz'.length))
    .sort();
}

export async function readRecording(name: string): Promise<{ recorded: RecordedDatabase; sql: string }> {
  const path = join(RECORDINGS_DIR, name);
  const recorded = JSON.parse(await readFile(`${path}.json`, 'utf8')) as RecordedDatabase;
  return { recorded, sql: gunzipSync(await readFile(`${path}.sql.gz`)).toString() };
}

export async function writeRecording(name: string, recorded: RecordedDatabase, sql: string): Promise<void> {
  const path = join(RECORDINGS_DIR, name);
  await writeFile(`${path}.sql.gz`, gzipSync(sql, { level: 9 }));
  await writeFile(`${path}.json`, `${JSON.stringify(recorded, undefined, 2)}\n`);
}
