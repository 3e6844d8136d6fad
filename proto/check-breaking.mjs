// Fails when the .proto files break what has been released (baseline.binpb). With --accept, makes them the new
// baseline: refused where they break the old one, unless --breaking says that this is meant.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const scripts = fileURLToPath(new URL('.', import.meta.url));
const buf = join(scripts, '../node_modules/.bin/buf');
const { values } = parseArgs({
  options: {
    accept: { type: 'boolean', default: false },
    breaking: { type: 'boolean', default: false },
    dir: { type: 'string', default: scripts },
  },
});
const baseline = join(values.dir, 'baseline.binpb');

const isCompatible = run(['breaking', '--against', baseline]);
if (!isCompatible && !(values.accept && values.breaking)) {
  process.stderr.write(
    `
The changes above break messages that are in flight or stored, or callers of an older version, which run beside
the new one during every deployment. Add a field, a message or a method beside the old one instead, and reserve the
number and the name of what goes (docs/decisions/0023-schema-compatibility.md).
If nothing that was ever deployed knows the old form: npm run generate -- proto:accept --breaking
`,
  );
  process.exitCode = 1;
} else if (values.accept) {
  if (!run(['build', '--exclude-source-info', '--output', baseline])) process.exit(1);
  process.stdout.write('proto/baseline.binpb is now what the .proto files say: commit it\n');
} else {
  process.stdout.write('the .proto files break nothing that has been released\n');
}

/** @param {string[]} args */
function run(args) {
  const { status, error } = spawnSync(buf, args, {
    cwd: values.dir,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw error;
  // Anything but findings (100) is a failure of the check itself.
  if (status !== 0 && status !== 100) process.exit(1);
  return status === 0;
}
