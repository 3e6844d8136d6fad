// `npm run test:chart`: see test-chart.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/cluster/test-chart.ts', process.argv.slice(2));
