// `npm run cluster:up`: see kubernetes/up.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../launcher/install.mjs';

ensureInstalled();
runFromSource('deploy/kubernetes/up.ts', process.argv.slice(2));
