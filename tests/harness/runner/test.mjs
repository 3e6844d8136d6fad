// `npm test [-- files or node:test flags]`: installs what it needs, starts a Postgres, runs the tests.
import process from 'node:process';
import { ensureInstalled, runFromSource, useCompileCache } from '../../../deploy/launcher/install.mjs';

ensureInstalled();
useCompileCache();
runFromSource('tests/harness/runner/run-tests.ts', process.argv.slice(2));
