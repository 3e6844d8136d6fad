// `npm run test:acceptance`: the product from outside, on a clean clone.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../install.mjs';

ensureInstalled();
runFromSource('deploy/local/acceptance/run.ts', process.argv.slice(2));
