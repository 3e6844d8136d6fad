/** `npm run generate -- python`: regenerates the files of clients/python from the API's description. */
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
