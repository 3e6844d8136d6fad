import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SCRIPTS } from './commands.mjs';
import { parseCommandLine, repositoryRoot, sourceFlags } from './launcher.mjs';

const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const COMMANDS = Object.values(SCRIPTS).flatMap((script) => [
  script,
  ...Object.values(script.commands ?? {}),
]);

const MENTION = 'npm run (--silent )?[a-z][a-z:-]*( -- [a-z][a-z0-9:-]*)?';

describe('the npm scripts', () => {
  test('each uses the launcher, and has a line in its help', () => {
    assert.deepEqual(Object.keys(scripts).sort(), Object.keys(SCRIPTS).sort());
    const { output = '', exitCode } = parseCommandLine('--help', []);
    assert.equal(exitCode, 0);
    for (const [name, line] of Object.entries(scripts)) {
      assert.equal(line, `exec node deploy/launcher.mjs ${name}`);
      assert.match(output, new RegExp(`^npm (run )?${name} +\\S`, 'm'));
    }
  });

  test('each describes in its help what it does, with a line for each subcommand', () => {
    for (const [name, { commands = {}, hasHelp }] of Object.entries(SCRIPTS)) {
      const { output, command, exitCode } = parseCommandLine(name, ['--help']);
      assert.equal(exitCode, 0, name);
      assert.equal(command !== undefined, hasHelp === true, name);
      if (!hasHelp) assert.match(output ?? '', new RegExp(`^npm (run )?${name}`, 'm'));
      for (const each of Object.keys(commands)) {
        assert.match(output ?? '', new RegExp(`^npm run ${name} -- ${each} +\\S`, 'm'));
      }
    }
  });

  test('every file that a command starts exists, and is TypeScript that runs from source', () => {
    for (const { entry } of COMMANDS) {
      if (entry !== undefined)
        assert.ok(entry.endsWith('.ts') && existsSync(join(repositoryRoot, entry)), entry);
    }
  });

  test('every step that runs TypeScript reads our packages from source, so that nothing must be built first', () => {
    const steps = COMMANDS.flatMap((command) => command.steps ?? []);
    const runsBuilt = (step: readonly string[]) =>
      step.some((word) => word.endsWith('.ts')) && !step.some((word) => sourceFlags.includes(word));
    assert.deepEqual(steps.filter(runsBuilt), []);
    assert.ok(sourceFlags.includes('--conditions=audiosplit-source'));
  });

  test('every script mentioned in the repository exists', () => {
    const mentions = execFileSync('git', ['grep', '-noIE', MENTION, '--', '.', ':!package-lock.json'], {
      cwd: repositoryRoot,
      encoding: 'utf8',
    });
    const isThere = (mention: string) => {
      const [, name = '', subcommand] =
        /npm run (?:--silent )?([a-z][\w:-]*)(?: -- ([a-z][\w:-]*))?/.exec(mention) ?? [];
      const commands = SCRIPTS[name]?.commands;
      return (
        name in SCRIPTS && (commands === undefined || subcommand === undefined || subcommand in commands)
      );
    };
    assert.deepEqual(
      mentions.split('\n').filter((mention) => mention !== '' && !isThere(mention)),
      [],
    );
  });

  test('every command does something, or has subcommands that do', () => {
    for (const command of COMMANDS) {
      const isAlone = command.entry !== undefined || (command.steps ?? []).length > 0;
      assert.ok(isAlone || 'commands' in command, command.help);
    }
  });
});

describe('a command line', () => {
  test('without a subcommand runs the script itself', () => {
    const { command, args } = parseCommandLine('up', ['--splitters', '2']);
    assert.deepEqual([command?.entry, args], ['deploy/processes/main.ts', ['--splitters', '2']]);
  });

  test('passes all further arguments to a subcommand', () => {
    const { command, args } = parseCommandLine('verify', ['engines', 'kafka', '--test-name-pattern=lag']);
    assert.deepEqual(
      [command?.entry, args],
      ['tests/harness/runner/run-engine-tests.ts', ['kafka', '--test-name-pattern=lag']],
    );
  });

  test('passes all arguments to a script without subcommands', () => {
    assert.deepEqual(parseCommandLine('split', ['a.mp3', '--every', '60']).args, ['a.mp3', '--every', '60']);
  });

  test('with a wrong or missing subcommand exits with 2 and lists the valid ones', () => {
    for (const args of [['wrong'], []]) {
      const { command, output = '', exitCode } = parseCommandLine('cluster', args);
      assert.deepEqual([command, exitCode], [undefined, 2]);
      assert.match(output, /There are: up, down\n$/);
    }
    assert.match(
      parseCommandLine('up', ['engine']).output ?? '',
      /has no engine\. There are: restart, engines/,
    );
  });

  test('reports an error on stderr, and exits with 2', () => {
    const launcher = join(repositoryRoot, 'deploy/launcher.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, 'verify', 'nothing'], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(
      stderr,
      /^audiosplit: npm run verify has no nothing\. There are: engines, acceptance, console/,
    );
  });
});
