// Fails when proto/gen is not what the .proto files give, so that `npm run generate -- proto` is not forgotten.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const protoDir = fileURLToPath(new URL('.', import.meta.url));
const bin = join(protoDir, '../node_modules/.bin');
const scratch = mkdtempSync(join(tmpdir(), 'audiosplit-proto-'));
try {
  for (const name of readdirSync(protoDir)) {
    if (name !== 'gen' && name !== 'node_modules')
      cpSync(join(protoDir, name), join(scratch, name), { recursive: true });
  }
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  execFileSync(join(bin, 'buf'), ['lint'], { cwd: scratch, env, stdio: 'inherit' });
  execFileSync(join(bin, 'buf'), ['generate'], { cwd: scratch, env, stdio: 'inherit' });
  const stale = differences(join(protoDir, 'gen'), join(scratch, 'gen'));
  if (stale.length > 0) {
    process.stderr.write(
      `proto/gen is out of date (${stale.join(', ')}): run \`npm run generate -- proto\` and commit the result\n`,
    );
    process.exitCode = 1;
  } else {
    process.stdout.write('proto/gen is what the .proto files give\n');
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @param {string} left @param {string} right */
function differences(left, right) {
  const list = (/** @type {string} */ dir) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
  const names = new Set([...list(left), ...list(right)]);
  return [...names].filter((name) => read(join(left, name)) !== read(join(right, name)));
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
