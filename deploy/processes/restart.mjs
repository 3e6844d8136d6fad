// `npm run restart`: replaces every process of what `npm run up` has started, while it serves.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../launcher/install.mjs';

ensureInstalled();
runFromSource('deploy/processes/restart.ts', process.argv.slice(2));
