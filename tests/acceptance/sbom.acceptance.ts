/** Compares the images' lists of contents with their actual contents. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGE_NAMES, type ImageName, imageTag } from '../../deploy/containers/product-images.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { startIdle } from './confined-container.ts';
import { openCycloneDxSchema } from './cyclonedx.ts';
import { containerOf, runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

const SBOM = '/usr/share/audiosplit/sbom.cdx.json';
const SPEC_VERSION = '1.6';

const IN_EACH = ['ca-certificates', 'libc6', 'libstdc++6'];
/** With the libraries linked into it. */
const FFMPEG = [
  ...['ffmpeg', 'libmp3lame-dev', 'libvorbis-dev', 'libogg-dev', 'libopus-dev', 'zlib1g-dev', 'libc6-dev'],
];
const BESIDE: Partial<Record<ImageName, readonly string[]>> = {
  splitter: FFMPEG,
  all: [...FFMPEG, 'dash'],
  tools: ['postgresql-client-17', 'libpq5'],
};

interface Sbom {
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly evidence: { readonly occurrences: readonly { readonly location: string }[] };
  }[];
}

scenario(
  'each image lists its contents by the schema of CycloneDX: Node, npm packages, Debian packages for every program and library',
  { containersOnly: true },
  async () => {
    const task = reportedTask('schemas', reportTo(process.stderr), AbortSignal.timeout(60_000));
    const faultsOf = await openCycloneDxSchema(SPEC_VERSION, task);
    await using tools = await startIdle('tools');
    await using all = await startIdle('all');
    const idle = { tools, all };
    for (const name of IMAGE_NAMES) {
      // Without mounts, except Docker's own few files in /etc.
      const root =
        name === 'tools' || name === 'all' ? idle[name].root : `/proc/${containerOf(name).pid}/root`;
      const sbom: Sbom = JSON.parse(readFileSync(join(root, SBOM), 'utf8'));
      assert.equal(faultsOf(sbom), undefined, name);
      assert.equal(sbom.specVersion, SPEC_VERSION, name);
      assert.equal(sbom.metadata.component.name, imageTag(name));

      const purls = sbom.components.map(({ purl }) => purl);
      const ofKind = (kind: string) => purls.filter((purl) => purl.startsWith(`pkg:${kind}/`));
      assert.deepEqual(ofKind('npm'), npmPackagesIn(root), name);
      assert.deepEqual(ofKind('generic'), [`pkg:generic/node@${process.versions.node}`], name);

      const occurrences = sbom.components.flatMap(({ evidence }) => evidence.occurrences);
      const places = new Set(occurrences.map(({ location }) => location));
      const unlisted = programsAndLibrariesIn(root).filter((path) => !places.has(path));
      assert.deepEqual(unlisted, [], `${name}: of no component`);
      const expected = [...IN_EACH, ...(BESIDE[name] ?? [])];
      const missing = expected.filter((each) => !ofKind('deb').some((purl) => purl.includes(`/${each}@`)));
      assert.deepEqual(missing, [], name);
    }
  },
);

scenario("the ffmpeg in the splitter's list is the installed one", { containersOnly: true }, async () => {
  const root = `/proc/${containerOf('splitter').pid}/root`;
  const sbom: Sbom = JSON.parse(readFileSync(join(root, SBOM), 'utf8'));
  const listed = sbom.components.find(({ name }) => name === 'ffmpeg')?.version;
  const run = ['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--network', 'none'];
  const ffmpeg = ['--entrypoint', '/usr/bin/ffmpeg', imageTag('splitter'), '-version'];
  const said = await runDocker([...run, ...ffmpeg]);
  // Debian's epoch and revision are not ffmpeg's.
  const upstream = listed?.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
  assert.equal(/^ffmpeg version (\S+)/.exec(said)?.[1], upstream);
});

function npmPackagesIn(root: string): readonly string[] {
  const isManifest = /\/node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;
  const purls = filesIn(join(root, 'app'))
    .filter((path) => isManifest.test(path))
    .map((path) => {
      const { name, version } = JSON.parse(readFileSync(path, 'utf8'));
      return `pkg:npm/${name.replace('@', '%40')}@${version}`;
    });
  return [...new Set(purls)].sort();
}

function programsAndLibrariesIn(root: string): readonly string[] {
  return ['bin', 'sbin', 'lib', 'lib64', 'usr', 'opt']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap(filesIn)
    .map((path) => path.slice(root.length))
    .filter((path) => path !== SBOM);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
