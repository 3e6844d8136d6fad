// `npm run test:schema`: the API against its own description, by schemathesis.
import process from 'node:process';
import { ensureInstalled, runFromSource } from '../../deploy/launcher/install.mjs';

ensureInstalled();
runFromSource('tests/api-fuzzing/run.ts', process.argv.slice(2));
