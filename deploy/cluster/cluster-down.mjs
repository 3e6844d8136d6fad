// `npm run cluster:down`: see kubernetes/down.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/cluster/kubernetes/down.ts', process.argv.slice(2));
