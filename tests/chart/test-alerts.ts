/** `npm run verify -- alerts`: the rules of the chart are valid, and each alert fires and is silent as its tests say. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { ensurePromtool } from './promtool.ts';

const RULES_DIR = resolve(import.meta.dirname, '../../charts/audiosplit/rules');

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const promtool = await ensurePromtool(
    reportedTask('promtool', reportTo(process.stderr), interruption.signal),
  );
  const tests = globSync('*.test.yaml', { cwd: RULES_DIR }).sort();
  const rules = globSync('*.yaml', { cwd: RULES_DIR, exclude: ['*.test.yaml'] }).sort();
  const run = (...args: string[]) =>
    spawnSync(promtool, args, { cwd: RULES_DIR, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  const isWell = [
    run('check', 'rules', '--lint=all', '--lint-fatal', ...rules),
    run('test', 'rules', ...tests),
  ];
  process.exitCode = isWell.every(Boolean) ? 0 : 1;
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
