// `npm run load`: load with k6, on an installation of its own or on one that is given.
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../deploy/local/install.mjs';

ensureInstalled();
const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
process.env.NODE_COMPILE_CACHE ||= join(cacheRoot, 'audiosplit/node-compile-cache');
runFromSource('load-tests/runner/main.ts', process.argv.slice(2));
