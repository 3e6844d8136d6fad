/** Brings in the languages that are missing and runs the guide's test with all of them; none is passed over. */
import { ensureDebianProgram } from '../../engines/debian-program.ts';
import { sourceFlags } from '../install.mjs';
import { runProvisioned } from '../src/run-provisioned.ts';

const PROGRAMS = [
  { title: 'curl', names: ['curl'], packageName: 'curl' },
  { title: 'Python', names: ['python3'], packageName: 'python3' },
  { title: 'Go', names: ['go'], packageName: 'golang-go' },
];

await runProvisioned(async (taskOf) => {
  for (const program of PROGRAMS) await ensureDebianProgram(program, taskOf(program.title));
  return {
    args: [...sourceFlags, 'deploy/local/src/run-tests.ts', 'deploy/local/test/guide.test.ts'],
    env: { GUIDE_LANGUAGES: 'all' },
  };
});
