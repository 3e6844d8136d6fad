// `npm run drills`: the disaster drills of docs/operations.md, carried out on the whole product and real engines.
import process from 'node:process';
import { ensureInstalled, runFromSource, useCompileCache } from '../../local/install.mjs';

ensureInstalled();
useCompileCache();
runFromSource('deploy/operations/drills/main.ts', process.argv.slice(2));
