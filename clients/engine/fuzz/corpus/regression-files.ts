import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../engine/finding.ts';

/** Cases that once went wrong, as files named by their target: `<target>-<hash>.bin`. */
const FOLDER = fileURLToPath(new URL('./regressions', import.meta.url));
const HASH_DIGITS = 12;

interface RegressionCase {
  readonly name: string;
  readonly targetName: string;
  readonly input: Buffer;
}

/** Returns the file's path. */
export function saveRegression({ target, input }: Pick<Finding, 'target' | 'input'>): string {
  const hash = createHash('sha256').update(input).digest('hex').slice(0, HASH_DIGITS);
  const path = join(FOLDER, `${target}-${hash}.bin`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, input);
  return path;
}

export function readRegressions(): readonly RegressionCase[] {
  mkdirSync(FOLDER, { recursive: true });
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.bin'))
    .map((name) => ({
      name,
      targetName: name.slice(0, name.lastIndexOf('-')),
      input: readFileSync(join(FOLDER, name)),
    }));
}
