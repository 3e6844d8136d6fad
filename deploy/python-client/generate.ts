/** `npm run generate -- python`: makes the generated files of clients/python anew from the gateway's own description. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { GENERATED, providePython } from './environment.ts';
import { renderPythonClient } from './render.ts';

await runCommand(async (signal) => {
  const task = reportedTask('Python', reportTo(process.stderr), signal);
  const files = await renderPythonClient(await providePython(task), task);
  for (const [name, text] of files) await writeFile(join(GENERATED, name), text);
  return 0;
});
