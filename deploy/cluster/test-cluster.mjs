// `npm run test:cluster`: see test-cluster.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/cluster/test-cluster.ts', process.argv.slice(2));
