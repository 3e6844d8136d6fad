/**
 * write-sbom.mjs NAME ROOT: a CycloneDX 1.6 list of what lies in an image's root: the npm packages with their licences, the
 * Debian packages that programs and libraries come from, and Node itself. Read off the files, so that it lists what is
 * there and not what somebody meant to install. Written to standard output; the same root gives the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [name, root] = process.argv.slice(2);
const files = readdirSync(root, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length));

/** `…/node_modules/undici` and `…/node_modules/@scope/name`, at whatever depth; not the folders inside of them. */
const PACKAGE_MANIFEST = /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;

function npmComponents() {
  return files
    .filter((path) => PACKAGE_MANIFEST.test(path))
    .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')))
    .filter((manifest) => manifest.version !== undefined)
    .map(({ name, version, license }) => ({
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace(/^@/, '%40')}@${version}`,
      ...(typeof license === 'string' ? { licenses: [licenceOf(license)] } : {}),
    }));
}

function licenceOf(text) {
  return /^[A-Za-z0-9.+-]+$/.test(text) ? { license: { name: text } } : { expression: text };
}

/** dpkg knows a file by the name that it was packed with: below /lib, or below /usr/lib. */
function owningPackage(path) {
  for (const known of [path, `/usr${path}`, path.replace(/^\/usr/, '')]) {
    try {
      const said = execFileSync('dpkg', ['-S', known], { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
      const line = said.split('\n').find((owned) => owned.includes(': ') && !owned.startsWith('diversion '));
      if (line !== undefined) return line.slice(0, line.indexOf(': '));
    } catch {
      // Not by this name.
    }
  }
  return undefined;
}

function debianComponents() {
  const packages = files.filter((path) => !path.startsWith('/app/')).map(owningPackage);
  // The bundle of certificates is made when its package is installed.
  const names = new Set([...packages.filter((owner) => owner !== undefined), 'ca-certificates']);
  return [...names].map((owner) => {
    const field = (key) => execFileSync('dpkg-query', ['-W', `-f=\${${key}}`, owner]).toString();
    const bare = owner.split(':')[0];
    const version = field('Version');
    return {
      type: 'library',
      name: bare,
      version,
      purl: `pkg:deb/debian/${bare}@${encodeURIComponent(version)}?arch=${field('Architecture')}`,
    };
  });
}

const node = process.versions.node;
const found = [
  ...npmComponents(),
  ...debianComponents(),
  { type: 'platform', name: 'node', version: node, purl: `pkg:generic/node@${node}` },
];
const unique = new Map(
  found.map((component) => [component.purl, { 'bom-ref': component.purl, ...component }]),
);
const components = [...unique.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
const sbom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { 'bom-ref': name, type: 'container', name } },
  components,
};
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
