// `npm run images`: see build.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/images/build.ts', process.argv.slice(2));
