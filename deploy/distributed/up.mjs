// `npm run up`: the whole product as separate processes on real engines.
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ensureConsoleBuilt, ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
ensureConsoleBuilt();
// On one machine a dozen processes start at once: from the second time on they find their code compiled.
const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
process.env.NODE_COMPILE_CACHE ||= join(cacheRoot, 'audiosplit/node-compile-cache');
runFromSource('deploy/distributed/main.ts', process.argv.slice(2));
