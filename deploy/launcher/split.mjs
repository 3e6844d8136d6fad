// `npm run split -- <file or URL>`: splits one file without a server to look after.
import process from 'node:process';
import { ensureInstalled, runFromSource } from './install.mjs';

ensureInstalled();
runFromSource('deploy/embedded/split.ts', process.argv.slice(2));
