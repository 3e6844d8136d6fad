/** `npm run release`: packs what is published, checks it, and publishes it. */
import { cp, mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { repositoryRoot } from '../launcher.mjs';
import { flag, helpOf, parseOptions, text } from '../provision/options.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { findProblems } from './check.ts';
import { findRepositoryProblems, tagOf } from './checks/repository.ts';
import { destinationsOf, readCredentials } from './destinations.ts';
import { packRelease } from './pack.ts';
import { dockerConfigFile, publishRelease } from './publish.ts';
import { releaseVersion } from './published.ts';
import { releaseTable } from './release-table.ts';

const RELEASE = {
  command: 'npm run release --',
  about:
    'Publishes with NPM_TOKEN and PYPI_TOKEN of the environment; without them it says where everything would go.',
  options: {
    'dry-run': flag('packs and checks, and publishes nothing'),
    registry: text(
      'REGISTRY',
      'takes images and the chart (HOST or HOST/PATH), with the login that Docker has',
    ),
    out: text('FOLDER', 'keeps the packed files there, in npm, python and charts'),
  },
};

await runCommand(async (signal) => {
  const options = parseOptions(RELEASE, process.argv.slice(2));
  const { help, 'dry-run': isDry, registry, out } = options;
  if (help) return void process.stdout.write(helpOf(RELEASE));
  if (process.env.npm_config_dry_run)
    throw new StartError('npm has taken --dry-run for itself: write `npm run release -- --dry-run`');
  const task = reportedTask('release', reportTo(process.stderr), signal);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-release-'));
  const version = await releaseVersion();
  const packed = await packRelease(folder.path, task);
  const problems = await task.step('checks', () => findProblems(packed, version, task));
  const ofRepository = await findRepositoryProblems(repositoryRoot, version, task);
  process.stdout.write(await releaseTable(packed, destinationsOf(version, registry)));
  if (out !== undefined) {
    for (const { file } of packed) await cp(file, join(out, relative(folder.path, file)));
  }

  if (problems.length > 0) return stop('This is wrong', problems);
  if (isDry) {
    if (ofRepository.length > 0) process.stdout.write(listed('Before it is published', ofRepository));
    process.stdout.write(`All checks of ${version} have passed. Nothing was published.\n`);
    return 0;
  }
  if (ofRepository.length > 0) return stop('This commit cannot be released', ofRepository);
  const dockerConfig = await readFile(dockerConfigFile(), 'utf8').catch(() => undefined);
  const credentials = readCredentials({ env: process.env, registry, dockerConfig });
  if (!('npmToken' in credentials)) return stop('This is missing', credentials);
  await publishRelease(packed, credentials, version, task);
  const tag = tagOf(version);
  process.stdout.write(`${version} is published. Now: git tag ${tag} && git push origin ${tag}\n`);
  return 0;
});

function stop(title: string, lines: readonly string[]): number {
  process.stdout.write(`${listed(title, lines)}Nothing was published.\n`);
  return 1;
}

function listed(title: string, lines: readonly string[]): string {
  return `${title}:\n${lines.map((line) => `- ${line}\n`).join('')}`;
}
