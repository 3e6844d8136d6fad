import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { COMMANDS } from '../program.ts';
import { SCRIPTS } from './scripts.ts';
import { SHELLS, VOCABULARY } from './vocabulary.ts';

function complete(...words: readonly string[]): string[] {
  const script = `${SCRIPTS.bash(VOCABULARY)}
COMP_WORDS=(audiosplit "$@"); COMP_CWORD=$#; _audiosplit; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trimEnd().split('\n');
}

test('every command can be completed', () => {
  assert.deepEqual(Object.keys(VOCABULARY), Object.keys(COMMANDS));
});

test('bash completes commands, actions and options, and leaves file names to the shell', () => {
  assert.deepEqual(complete('co'), ['connections', 'completion']);
  assert.deepEqual(complete('jobs', 'd'), ['download', 'delete']);
  assert.deepEqual(complete('cut', 'a.mp3', '--max'), ['--max-size', '--max-duration']);
  assert.deepEqual(complete('cut', 'a'), ['']);
});

test('every shell completes every command, action and option', () => {
  for (const shell of SHELLS) {
    const script = SCRIPTS[shell](VOCABULARY);
    for (const [command, { actions, options }] of Object.entries(VOCABULARY)) {
      for (const word of [command, ...actions, ...options]) {
        const written = shell === 'fish' ? word.replace(/^--/, '-l ') : word;
        assert.ok(script.includes(written), `${shell}: ${word}`);
      }
    }
  }
});
