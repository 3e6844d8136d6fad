// `npm run down`: stops what `npm run up` has started.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../launcher/install.mjs';

ensureInstalled();
runFromSource('deploy/processes/stop.ts', process.argv.slice(2));
