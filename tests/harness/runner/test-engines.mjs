// `npm run test:engines`: brings up the real engines, runs the contract suites and what goes through compiled processes
// against them, takes them down.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  ensureCompiled,
  ensureInstalled,
  pinnedNode,
  repositoryRoot,
  runFromSource,
} from '../../../deploy/launcher/install.mjs';
import { testFlags } from './test-flags.mjs';

ensureInstalled();
ensureCompiled();
const files = ['services', 'gateway', 'deploy', 'tests', 'load-tests']
  .flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  )
  .filter((path) => path.endsWith('.engine.test.ts') && !path.includes('node_modules'))
  .sort();
const command = [
  pinnedNode,
  ...testFlags({ concurrency: 1, testTimeoutMs: 300_000, fileTimeoutMs: 600_000 }),
  ...files,
];
runFromSource('deploy/engines/run-with.ts', ['--', ...command]);
