// `npm run operators`: the operators' console as a process of its own, beside an installation that is elsewhere.
import process from 'node:process';
import { ensureConsoleBuilt, ensureInstalled, runFromSource } from './install.mjs';

ensureInstalled();
ensureConsoleBuilt();
runFromSource('gateway/src/operators/main.ts', process.argv.slice(2));
