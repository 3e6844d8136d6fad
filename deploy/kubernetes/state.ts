/** The record of a cluster that is needed to stop it. Everything else is in the data folder. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf } from '@audiosplit/chassis/errors';
import type { ProcessIdentity } from '../provision/process-identity.ts';
import { ProvisionError } from '../provision/provision-error.ts';

export interface ClusterState {
  /** Every process runs in one of them. */
  readonly machines: Readonly<Record<string, ProcessIdentity>>;
  /** Whether everything has been ready once. */
  readonly isReady: boolean;
}

const FILE_NAME = 'cluster.json';

/** Undefined if there is none; throws ProvisionError if it cannot be read. */
export function readState(dataDir: string): ClusterState | undefined {
  const path = join(dataDir, FILE_NAME);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ClusterState;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new ProvisionError(`the state of a cluster cannot be read, ${path}: ${messageOf(error)}`);
  }
}

/** Replaces the file atomically; synchronous, so that writes keep their order. */
export function writeState(dataDir: string, state: ClusterState): void {
  const path = join(dataDir, FILE_NAME);
  writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
