// `npm run test:acceptance`: the product from outside, on a clean clone.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
runFromSource('tests/acceptance/run.ts', process.argv.slice(2));
