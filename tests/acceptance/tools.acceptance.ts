/** The image of operators' commands, as a pod in a cluster runs it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageTag } from '../../deploy/containers/product-images.ts';
import { CONFINED, startIdle } from './confined-container.ts';
import { runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

const COMMANDS = ['backup', 'restore', 'reconcile', 'reseal', 'lag', 'dead-letters', 'overrides'];
const BACKUP_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

scenario(
  'the image with the operator commands lists them, and the arguments of each',
  { containersOnly: true },
  async () => {
    const run = ['run', '--rm', ...CONFINED, '--network', 'none', imageTag('tools')];
    const help = await runDocker([...run, 'help']);
    for (const command of COMMANDS) assert.match(help, new RegExp(`\\b${command}\\b`));
    await assert.rejects(runDocker([...run, 'bakup']), /there is no bakup\nusage: /);
    for (const command of ['backup', 'lag', 'overrides']) {
      const usage = await runDocker([...run, command, '--help']);
      assert.match(usage, new RegExp(`usage: npm run operate -- ${command}`));
    }
  },
);

scenario(
  'an operator makes backups beside the containers, of which the newest are kept, and queries the lag of consumers',
  { containersOnly: true },
  async () => {
    await using tools = await startIdle('tools');
    const said = await tools.run('backup', '--into', '/backups', '--keep', '1');
    assert.match(
      said,
      /^backed up to \/backups\/\S+: as of \S+, \d+ tables, \d+ rows, \d+ events in flight$/m,
    );
    await tools.run('backup', '--into', '/backups', '--keep', '1');

    const folder = join(tools.root, 'backups');
    const [name = '', ...others] = readdirSync(folder);
    assert.match(name, BACKUP_NAME);
    assert.deepEqual(others, [], 'the former one is gone');
    const manifest: { readonly bus: string; readonly rows: object } = JSON.parse(
      readFileSync(join(folder, name, 'manifest.json'), 'utf8'),
    );
    assert.equal(manifest.bus, 'kafka');
    for (const table of ['auth.accounts', 'billing.job_usage', 'jobs.jobs', 'webhooks.deliveries']) {
      assert.ok(table in manifest.rows, table);
    }

    assert.match(await tools.run('lag'), /^splitter +audiosplit\.split-requests +\d+$/m);
    assert.match(await tools.run('reconcile'), /^\d+ segments, \d+ objects of jobs$/m);
  },
);
