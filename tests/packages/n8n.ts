/** The packed nodes for n8n: runs n8n's linter, and checks that a bare Node can load them as n8n does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { lintNodes } from './n8n-linter.ts';
import type { BareMachine } from './packed-packages.ts';

const SOURCE = join(repositoryRoot, 'clients/n8n');
const NAME = 'n8n-nodes-audiosplit';

export function describeN8nNodes(machine: BareMachine): void {
  describe('the nodes for n8n', () => {
    const task = reportedTask('n8n', reportTo(process.stderr), new AbortController().signal);

    test("n8n's linter reports nothing", async () => assert.equal(await lintNodes(SOURCE, task), ''));

    test("n8n's linter reports a violation", async () => {
      const folder = join(machine.folder, 'n8n-wrong');
      await cp(SOURCE, folder, { recursive: true, filter: (path) => !path.endsWith('dist') });
      const path = join(folder, 'nodes/Audiosplit/Audiosplit.node.ts');
      const text = await readFile(path, 'utf8');
      await writeFile(
        path,
        text.replace('usableAsTool: true,', '').replace('import {', "import 'node:fs';\nimport {"),
      );
      const found = await lintNodes(folder, task);
      assert.match(found, /node-usable-as-tool/);
      assert.match(found, /no-restricted-imports/);
    });

    test('a bare Node 20 loads them with require, and their icons are at the expected paths', async () => {
      const folder = join(machine.folder, 'n8n');
      await mkdir(folder);
      const tarball = machine.release.packages.find((file) => file.includes(NAME)) ?? assert.fail();
      execFileSync('tar', ['-xzf', tarball, '-C', folder]);
      // n8n loads its interfaces this way.
      const workflow = createRequire(join(SOURCE, 'package.json')).resolve('n8n-workflow/package.json');
      const env = { NODE_PATH: dirname(dirname(workflow)) };
      const script = `
        const { existsSync } = require('node:fs');
        const { basename, dirname, join, resolve } = require('node:path');
        const { dependencies, n8n } = require('./package/package.json');
        for (const path of [...n8n.credentials, ...n8n.nodes]) {
          const file = resolve('package', path);
          const found = new (require(file)[basename(path).split('.')[0]])();
          const { icon } = found.description ?? found;
          for (const each of Object.values(icon))
            if (!existsSync(join(dirname(file), each.replace('file:', '')))) throw new Error(each);
        }
        console.log(n8n.nodes.length, n8n.credentials.length, dependencies);`;
      const { code, stdout, stderr } = await machine.run(['node', '-e', script], 'n8n', { env });
      assert.equal(code, 0, stderr);
      assert.equal(stdout.trim(), '2 2 undefined');
    });
  });
}
