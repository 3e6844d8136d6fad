// `npm run up`: the whole product as separate processes on real engines.
import process from 'node:process';
import { ensureConsoleBuilt, ensureInstalled, runFromSource, useCompileCache } from '../launcher/install.mjs';

ensureInstalled();
ensureConsoleBuilt();
useCompileCache();
runFromSource('deploy/processes/main.ts', process.argv.slice(2));
