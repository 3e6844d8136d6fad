// `npm run test:chart`: see test-chart.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
runFromSource('tests/chart/test-chart.ts', process.argv.slice(2));
