// `npm run drills`: the disaster drills of docs/operations.md, carried out on the whole product and real engines.
import process from 'node:process';
import { ensureInstalled, runFromSource, useCompileCache } from '../../deploy/launcher/install.mjs';

ensureInstalled();
useCompileCache();
runFromSource('tests/drills/main.ts', process.argv.slice(2));
