// `npm run test:guide`: everything in the guide that can be run, in all its languages.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
runFromSource('tests/guide/run.ts', process.argv.slice(2));
