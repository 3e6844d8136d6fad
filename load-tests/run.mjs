// `npm run load`: load with k6, on an installation of its own or on one that is given.
import process from 'node:process';
import { ensureInstalled, runFromSource, useCompileCache } from '../deploy/launcher/install.mjs';

ensureInstalled();
useCompileCache();
runFromSource('load-tests/runner/main.ts', process.argv.slice(2));
