// `npm run test:schema`: the API against its own description, by schemathesis.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../install.mjs';

ensureInstalled();
runFromSource('deploy/local/schema-fuzzing/run.ts', process.argv.slice(2));
