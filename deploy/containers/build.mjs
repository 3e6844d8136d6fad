// `npm run images`: see build.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../launcher/install.mjs';

ensureInstalled();
runFromSource('deploy/containers/build.ts', process.argv.slice(2));
