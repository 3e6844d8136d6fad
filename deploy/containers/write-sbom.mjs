/**
 * write-sbom.mjs NAME ROOT [--onto ROOT] [--linked PROGRAM=PACKAGES] [--unpacked PROGRAM=ARCHIVE] [--node VERSION]:
 * writes a CycloneDX 1.6 list of the contents of an image's root to usr/share/audiosplit/sbom.cdx.json in that root. It
 * lists npm packages with their licences, the Debian packages of programs and libraries, and Node, each with its paths.
 * It is made from the files, so it lists what is present and not what was meant to be installed. A program or library
 * that belongs to no known package is an error. The same root gives the same bytes.
 *
 * --onto: the root below this one; its list becomes part of this one. --linked: PROGRAM was built here from the packages
 * that the file PACKAGES lists (deploy/containers/ffmpeg/build.sh). --unpacked: PROGRAM is from that archive of Debian,
 * which is not installed. --node: the version of ROOT's Node.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const SBOM = 'usr/share/audiosplit/sbom.cdx.json';
const NODE = '/usr/local/bin/node';
/** Generated when its package is installed, so dpkg does not know it. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** Written by assemble.sh. */
const OWN_FILES = new Set(['/etc/passwd', '/etc/group']);
/** `…/node_modules/undici` and `…/node_modules/@scope/name` at any depth, but not the folders inside them. */
const PACKAGE_MANIFEST = /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;
/** In the same order as in deploy/containers/ffmpeg/build.sh. */
const PACKAGE_FIELDS = ['Package', 'Version', 'Architecture', 'source:Package', 'source:Version']
  .map((field) => `\${${field}}`)
  .join('\t');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    onto: { type: 'string' },
    linked: { type: 'string' },
    unpacked: { type: 'string' },
    node: { type: 'string' },
  },
});
const [name, root] = positionals;
const [linkedProgram, linkedPackages] = values.linked?.split('=') ?? [];
const [unpackedProgram, unpackedArchive] = values.unpacked?.split('=') ?? [];
const distribution = debianRelease();

/** By purl. */
const components = new Map();
if (values.onto !== undefined) {
  const before = JSON.parse(readFileSync(join(values.onto, SBOM), 'utf8'));
  for (const { evidence, ...component } of before.components) {
    for (const { location } of evidence.occurrences) add(component, location);
  }
}
for (const path of filesOf(root)) {
  if (path.startsWith('/app/')) {
    if (PACKAGE_MANIFEST.test(path)) addNpmPackage(path);
  } else if (path === NODE) {
    const { node } = values;
    if (node === undefined) throw new Error(`${path} is there: its version is missing (--node)`);
    add({ type: 'platform', name: 'node', version: node, purl: `pkg:generic/node@${node}` }, path);
  } else if (path === linkedProgram) {
    const lines = readFileSync(linkedPackages, 'utf8').trimEnd().split('\n');
    for (const line of lines) add(debianComponent(line), path);
  } else if (path === unpackedProgram) {
    add(debianComponent(showPackage('dpkg-deb', unpackedArchive)), path);
  } else if (!OWN_FILES.has(path)) {
    add(debianComponent(installedPackage(path)), path);
  }
}
mkdirSync(dirname(join(root, SBOM)), { recursive: true });
writeFileSync(join(root, SBOM), `${JSON.stringify(sbom(), null, 2)}\n`);

function add(component, location) {
  const { purl } = component;
  const known = components.get(purl) ?? {
    component: { 'bom-ref': purl, ...component },
    locations: new Set(),
  };
  components.set(purl, known);
  known.locations.add(location);
}

function sbom() {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { 'bom-ref': name, type: 'container', name } },
    components: [...components.keys()].sort().map((purl) => {
      const { component, locations } = components.get(purl);
      return {
        ...component,
        evidence: { occurrences: [...locations].sort().map((location) => ({ location })) },
      };
    }),
  };
}

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length));
}

function addNpmPackage(path) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  // A folder within a package whose package.json only sets the kind of its modules.
  if (version === undefined) return;
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
  const licenses = typeof license === 'string' ? { licenses: [licenceOf(license)] } : {};
  add({ type: 'library', name, version, purl, ...licenses }, dirname(path));
}

function licenceOf(text) {
  return /^[A-Za-z0-9.+-]+$/.test(text) ? { license: { name: text } } : { expression: text };
}

function installedPackage(path) {
  const owner = path === CERTIFICATES ? 'ca-certificates' : owningPackage(path);
  if (owner === undefined) throw new Error(`${path} is of no package that is installed`);
  return showPackage('dpkg-query', owner);
}

function showPackage(program, name) {
  return execFileSync(program, ['--show', `--showformat=${PACKAGE_FIELDS}`, name]).toString();
}

/** dpkg knows a file by its path in the package, which may begin with /lib or with /usr/lib. */
function owningPackage(path) {
  for (const known of [path, `/usr${path}`, path.replace(/^\/usr/, '')]) {
    try {
      const said = execFileSync('dpkg', ['-S', known], { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
      const line = said.split('\n').find((owned) => owned.includes(': ') && !owned.startsWith('diversion '));
      if (line !== undefined) return line.slice(0, line.indexOf(': '));
    } catch {
      // dpkg does not know this path.
    }
  }
  return undefined;
}

/** Advisories name the source package and the release, so scanners need both in the purl. */
function debianComponent(line) {
  const [name, version, architecture, source, sourceVersion] = line.trimEnd().split('\t');
  const upstream = source === name ? '' : `&upstream=${encodeURIComponent(`${source}@${sourceVersion}`)}`;
  return {
    type: architecture === 'source' ? 'application' : 'library',
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${distribution}${upstream}`,
  };
}

function debianRelease() {
  const output = readFileSync('/etc/os-release', 'utf8');
  return `debian-${/^VERSION_ID="?([^"\n]+)/m.exec(output)?.[1]}`;
}
