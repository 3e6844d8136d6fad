/**
 * `npm run verify -- alerts`: checks that the chart's rules are valid, and that each alert fires and stays
 * silent as its tests state.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { command } from '../harness/command/command.ts';
import { ensurePromtool } from './promtool.ts';
import { RULE_FILES, RULES_DIR, withoutRunbook } from './rules.ts';

await command({ command: 'npm run verify -- alerts', options: {} }, async (_values, signal) => {
  const promtool = await ensurePromtool(reportedTask('promtool', reportTo(process.stderr), signal));
  const tests = globSync('*.test.yaml', { cwd: RULES_DIR }).sort();
  const run = (cwd: string, ...args: string[]) =>
    spawnSync(promtool, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  // A test must list all annotations of an alert, so the runbook's text is removed; otherwise every test
  // would have to repeat it.
  using work = mkdtempDisposableSync(join(tmpdir(), 'audiosplit-alerts-'));
  for (const file of tests) copyFileSync(join(RULES_DIR, file), join(work.path, file));
  for (const file of RULE_FILES)
    writeFileSync(join(work.path, file), withoutRunbook(readFileSync(join(RULES_DIR, file), 'utf8')));
  const areValid = run(RULES_DIR, 'check', 'rules', '--lint=all', '--lint-fatal', ...RULE_FILES);
  return { isFine: run(work.path, 'test', 'rules', ...tests) && areValid };
});
