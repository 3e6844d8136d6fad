// `npm run compose`: the product in containers, see compose.yaml.
import process from 'node:process';
import { ensureInstalled, runFromSource } from './install.mjs';

ensureInstalled();
runFromSource('deploy/containers/compose/main.ts', process.argv.slice(2));
