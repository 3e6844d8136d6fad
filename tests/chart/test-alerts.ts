/** `npm run verify -- alerts`: the rules of the chart are valid, and each alert fires and is silent as its tests say. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { ensurePromtool } from './promtool.ts';
import { RULE_FILES, RULES_DIR, withoutRunbook } from './rules.ts';

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const promtool = await ensurePromtool(
    reportedTask('promtool', reportTo(process.stderr), interruption.signal),
  );
  const tests = globSync('*.test.yaml', { cwd: RULES_DIR }).sort();
  const run = (cwd: string, ...args: string[]) =>
    spawnSync(promtool, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  // A test names all annotations of an alert; the runbook's text would stand in every one.
  const work = mkdtempSync(join(tmpdir(), 'audiosplit-alerts-'));
  try {
    for (const file of tests) copyFileSync(join(RULES_DIR, file), join(work, file));
    for (const file of RULE_FILES) {
      writeFileSync(join(work, file), withoutRunbook(readFileSync(join(RULES_DIR, file), 'utf8')));
    }
    const isWell = [
      run(RULES_DIR, 'check', 'rules', '--lint=all', '--lint-fatal', ...RULE_FILES),
      run(work, 'test', 'rules', ...tests),
    ];
    process.exitCode = isWell.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(work, { recursive: true });
  }
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
