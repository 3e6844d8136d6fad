// `npm run test:cluster`: see test-cluster.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
runFromSource('tests/kubernetes/test-cluster.ts', process.argv.slice(2));
