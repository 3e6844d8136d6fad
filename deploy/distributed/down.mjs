// `npm run down`: stops what `npm run up` has started.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/distributed/stop.ts', process.argv.slice(2));
