/** Brings in the languages that are missing and runs the guide's test with all of them; none is passed over. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensureDebianProgram } from '../../engines/debian-program.ts';
import { explainFailure } from '../../engines/explain-failure.ts';
import { Interrupted, onInterruption } from '../../engines/interruption.ts';
import { reportedTask, reportTo } from '../../engines/progress.ts';
import { sourceFlags } from '../install.mjs';

const PROGRAMS = [
  { title: 'curl', names: ['curl'], packageName: 'curl' },
  { title: 'Python', names: ['python3'], packageName: 'python3' },
  { title: 'Go', names: ['go'], packageName: 'golang-go' },
];

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  for (const program of PROGRAMS) {
    await ensureDebianProgram(
      program,
      reportedTask(program.title, reportTo(process.stderr), interruption.signal),
    );
  }
  const args = [...sourceFlags, 'deploy/local/src/run-tests.ts', 'deploy/local/test/guide.test.ts'];
  const tests = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, GUIDE_LANGUAGES: 'all' },
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} catch (thrown) {
  const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
