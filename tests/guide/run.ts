/**
 * Installs the missing languages and runs the tests of the guide and the reference with all of them; none is
 * skipped.
 */

import { sourceFlags } from '../../deploy/launcher.mjs';
import { ensureDebianProgram } from '../../deploy/provision/debian-program.ts';
import { runProvisioned } from '../harness/runner/run-provisioned.ts';

const PROGRAMS = [
  { title: 'curl', names: ['curl'], packageName: 'curl' },
  { title: 'Python', names: ['python3'], packageName: 'python3' },
  { title: 'Go', names: ['go'], packageName: 'golang-go' },
];

await runProvisioned(async (taskOf) => {
  for (const program of PROGRAMS) await ensureDebianProgram(program, taskOf(program.title));
  return {
    args: [
      ...sourceFlags,
      'tests/harness/runner/run-tests.ts',
      'tests/guide/guide.test.ts',
      'tests/guide/reference.test.ts',
    ],
    env: { GUIDE_LANGUAGES: 'all' },
  };
});
