/** `npm run generate -- sandbox` */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { compileSandbox } from './compile.ts';

await using workDir = await mkdtempDisposable(join(tmpdir(), 'audiosplit-sandbox-'));
const { signal } = new AbortController();
await compileSandbox(repositoryRoot, workDir.path, reportedTask('sandbox', reportTo(process.stderr), signal));
