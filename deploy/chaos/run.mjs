// `npm run chaos`: the whole product as separate processes on real engines, broken at random under load.
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../local/install.mjs';

ensureInstalled();
const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
process.env.NODE_COMPILE_CACHE ||= join(cacheRoot, 'audiosplit/node-compile-cache');
runFromSource('deploy/chaos/main.ts', process.argv.slice(2));
