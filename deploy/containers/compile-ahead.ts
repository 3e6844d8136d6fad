/** For .ci/run-background: compiles the Go programs that later stages of .ci/run would otherwise wait for. */
import { spawnSync } from 'node:child_process';
import { ensureVersitygw } from '../engines/versitygw.ts';
import { explainFailure } from '../provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../provision/interruption.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { buildCompose } from './compose-program.ts';

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
const task = reportedTask('go', reportTo(process.stderr), interruption.signal);
try {
  await ensureVersitygw(task);
  const hasCompose = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;
  if (!hasCompose) await buildCompose(task);
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
