// `npm run cluster:up`: see kubernetes/up.ts.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/cluster/kubernetes/up.ts', process.argv.slice(2));
