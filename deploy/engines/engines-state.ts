import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@audiosplit/chassis/errors';
import { ProvisionError } from '../provision/provision-error.ts';
import type { EngineEndpoints, EngineName, EngineRecord } from './engine.ts';

const formatVersion = 1;

export type EnginesState = Partial<Record<EngineName, EngineRecord>>;

export function stateFile(dir: string): string {
  return join(dir, 'engines.json');
}

/** Empty if there is no state yet. Throws on a file that this version did not write. */
export function readState(dir: string): EnginesState {
  const file = stateFile(dir);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {};
    throw error;
  }
  const content = parse(text);
  if (content?.formatVersion !== formatVersion) {
    throw new ProvisionError(`${file} is not of this version: stop the processes it names and delete ${dir}`);
  }
  return content.engines;
}

/** Replaces the file atomically; synchronous, so that writes keep their order. */
export function writeState(dir: string, engines: EnginesState): void {
  const file = stateFile(dir);
  // It holds passwords.
  writeFileSync(`${file}.new`, `${JSON.stringify({ formatVersion, engines }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The endpoints of the engines that should be running. */
export function endpointsOf(state: EnginesState): Partial<EngineEndpoints> {
  const running = Object.values(state).filter((record) => record.process !== null);
  return Object.assign({}, ...running.map((record) => record.endpoints));
}

function parse(text: string): { formatVersion: unknown; engines: EnginesState } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
