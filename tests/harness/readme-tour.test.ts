import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { extractTour, readTourSteps, tourScript } from './readme-tour.ts';

const README = `
Text.

<!-- tour -->
\`\`\`sh
A=1
\`\`\`

\`\`\`sh
rm -rf untouched
\`\`\`

<!-- tour -->
\`\`\`sh
echo "$A"
false
\`\`\`
`;

test('only marked blocks belong to the tour', () => {
  assert.deepEqual(extractTour(README), ['A=1\n', 'echo "$A"\nfalse\n']);
  assert.deepEqual(extractTour('```sh\nls\n```'), []);
});

test('blocks share one shell, and each has its own outcome', () => {
  const stdout = execFileSync('bash', {
    input: tourScript(extractTour(README)),
    encoding: 'utf8',
    stdio: 'pipe',
  });
  assert.deepEqual(readTourSteps(stdout, '@@tour\noops\n@@tour\n'), [
    { status: 0, stdout: '', stderr: '' },
    { status: 1, stdout: '1\n', stderr: 'oops\n' },
  ]);
});
