// `npm run test:console`: the console in a real browser, against a product that is started for it.
import process from 'node:process';
import { ensureConsoleBuilt, ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
ensureConsoleBuilt();
runFromSource('tests/browser/run.ts', process.argv.slice(2));
