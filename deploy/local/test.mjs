// `npm test [-- files or node:test flags]`: installs what it needs, starts a Postgres, runs the tests.
import process from 'node:process';
import { ensureInstalled, runFromSource } from './install.mjs';

ensureInstalled();
runFromSource('deploy/local/src/run-tests.ts', process.argv.slice(2));
