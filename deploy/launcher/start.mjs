// `npm start`: the whole product in one process.
import process from 'node:process';
import { ensureConsoleBuilt, ensureInstalled, runFromSource } from './install.mjs';

ensureInstalled();
ensureConsoleBuilt();
runFromSource('deploy/embedded/main.ts', process.argv.slice(2));
