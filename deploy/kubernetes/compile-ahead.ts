/** For .ci/run-background: compiles the Go programs that later stages of .ci/run would otherwise wait for. */
import { spawnSync } from 'node:child_process';
import { buildCompose } from '../containers/compose-program.ts';
import { ensureVersitygw } from '../engines/versitygw.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { ensureHelm } from './chart-tools.ts';

await runCommand(async (signal) => {
  const task = reportedTask('go', reportTo(process.stderr), signal);
  await ensureHelm(task);
  await ensureVersitygw(task);
  const hasCompose = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;
  if (!hasCompose) await buildCompose(task);
});
