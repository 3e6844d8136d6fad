// `npm run cluster:down`: see kubernetes/down.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../launcher/install.mjs';

ensureInstalled();
runFromSource('deploy/kubernetes/down.ts', process.argv.slice(2));
