// `npm run simulate`: the services' own code on simulated time and failing ports, over many seeds.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
runFromSource('tests/simulation/run/main.ts', process.argv.slice(2));
