// `npm run simulate`: the services' own code on simulated time and failing ports, over many seeds.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
runFromSource('deploy/simulation/main.ts', process.argv.slice(2));
