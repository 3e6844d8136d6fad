// `npm run chaos`: the whole product as separate processes on real engines, broken at random under load.
import process from 'node:process';
import { ensureInstalled, runFromSource, useCompileCache } from '../../deploy/launcher/install.mjs';

ensureInstalled();
useCompileCache();
runFromSource('tests/chaos/main.ts', process.argv.slice(2));
