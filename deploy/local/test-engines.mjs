// `npm run test:engines`: brings up the real engines, runs the contract suites against them, takes them down.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, pinnedNode, repositoryRoot, runFromSource, sourceFlags } from './install.mjs';

ensureInstalled();
const files = ['services', 'gateway', 'deploy']
  .flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  )
  .filter((path) => path.endsWith('.engine.test.ts') && !path.includes('node_modules'))
  .sort();
const command = [
  pinnedNode,
  ...sourceFlags,
  '--test',
  '--test-concurrency=1',
  '--test-timeout=300000',
  ...files,
];
runFromSource('deploy/engines/run-with.ts', ['--', ...command]);
