/** Holds the code to the arrows of docs/architecture.md, by reading its imports. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGES = [
  'proto',
  ...globSync('services/*', { cwd: ROOT }),
  'gateway',
  'clients/typescript',
  'gateway/console',
];
const MAY_IMPORT: Record<string, readonly string[]> = {
  '@audiosplit/proto': [],
  '@audiosplit/chassis': ['@audiosplit/proto'],
  // Its tests and its generator run a gateway; what is published depends on nothing, as its manifest says.
  '@audiosplit/client': ['@audiosplit/gateway', '@audiosplit/chassis', '@audiosplit/proto'],
  // The types of the back end, and the words of proto/vocabulary.
  '@audiosplit/console': ['@audiosplit/gateway', '@audiosplit/proto'],
};
/** Built into files that import nothing any more, so that what they are built of is all for development. */
const BUNDLED = ['@audiosplit/console'];
const SERVICE_MAY_IMPORT = ['@audiosplit/proto', '@audiosplit/chassis'];

interface SourceFile {
  /** From the repository's root. */
  readonly path: string;
  readonly package: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** Those that are gone once the types are stripped. */
  readonly typeImports: readonly string[];
  readonly isTest: boolean;
}

const files = PACKAGES.flatMap(readPackage);
const production = files.filter((file) => !file.isTest);

function readPackage(folder: string): SourceFile[] {
  const name = readManifest(folder).name;
  return globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: ROOT,
    exclude: (path) =>
      /(^|\/)(node_modules|dist|gen|generated)$/.test(path) ||
      (path.startsWith(`${folder}/`) && PACKAGES.includes(path)),
  })
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const imports = [
        ...text.matchAll(
          /(?:^|\n)\s*(?:import|export)\b[^'";]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)|\nimport '([^']+)'/g,
        ),
      ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
      const typeImports = [...text.matchAll(/(?:^|\n)import type\b[^'";]*?\bfrom '([^']+)'/g)].map(
        (match) => match[1] ?? '',
      );
      const isTest =
        /\.(test|contract|fixture|acceptance|browser)\.ts$|\/(test|testing|acceptance|browser|samples|bench|fuzz|generate)\//.test(
          path,
        );
      return { path, package: name, text, imports, typeImports, isTest };
    });
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The folder of the innermost package that a path is in. */
function folderOf(path: string): string | undefined {
  return PACKAGES.filter((folder) => path.startsWith(`${folder}/`)).at(-1);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function offenders(found: Iterable<string>): void {
  assert.deepEqual([...found], []);
}

test('no package goes unread', () => {
  offenders(PACKAGES.filter((folder) => !files.some((file) => folderOf(file.path) === folder)));
});

describe('arrows between packages', () => {
  test('proto ← chassis ← {services, gateway} ← deploy, and services never import one another', () => {
    offenders(
      files
        .filter((file) => file.package !== '@audiosplit/local')
        .flatMap((file) => {
          const allowed = MAY_IMPORT[file.package] ?? SERVICE_MAY_IMPORT;
          return file.imports
            .filter((specifier) => specifier.startsWith('@audiosplit/'))
            .filter(
              (specifier) => packageOf(specifier) !== file.package && !allowed.includes(packageOf(specifier)),
            )
            .map((specifier) => `${file.path} → ${specifier}`);
        }),
    );
  });

  test('relative imports stay inside their package', () => {
    offenders(
      PACKAGES.filter((folder) => folder !== 'deploy/local').flatMap((folder) =>
        files
          .filter((file) => folderOf(file.path) === folder)
          .flatMap((file) =>
            file.imports
              .filter((specifier) => specifier.startsWith('.'))
              .filter((specifier) => folderOf(join(dirname(file.path), specifier)) !== folder)
              .map((specifier) => `${file.path} → ${specifier}`),
          ),
      ),
    );
  });

  test('every imported package is declared by the package that imports it', () => {
    const rootManifest = readManifest('.');
    offenders(
      PACKAGES.flatMap((folder) => {
        const manifest = readManifest(folder);
        const installed = { ...manifest.dependencies, ...manifest.optionalDependencies };
        const all = { ...installed, ...manifest.devDependencies, ...rootManifest.devDependencies };
        const runtime = BUNDLED.includes(manifest.name) ? all : installed;
        return files
          .filter((file) => file.package === manifest.name)
          .flatMap((file) =>
            file.imports
              .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
              .map(packageOf)
              .filter((name) => name !== manifest.name && !builtinModules.includes(name))
              .filter(
                (name) =>
                  (file.isTest || file.typeImports.some((specifier) => packageOf(specifier) === name)
                    ? all
                    : runtime)[name] === undefined,
              )
              .map((name) => `${file.path} → ${name}`),
          );
      }),
    );
  });
});

describe('arrows inside a service', () => {
  const inServices = production.filter((file) => /^services\/(?!chassis)|^gateway/.test(file.path));
  const targetsOf = (file: SourceFile) =>
    file.imports
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => join(dirname(file.path), specifier));

  test('nobody imports main.ts, and only main.ts imports its service.ts', () => {
    offenders(
      inServices.flatMap((file) =>
        targetsOf(file)
          .filter(
            (target) =>
              basename(target) === 'main.ts' ||
              (/src\/service\.ts$/.test(target) && basename(file.path) !== 'main.ts'),
          )
          .map((target) => `${file.path} → ${target}`),
      ),
    );
  });

  test('stores import neither rpc, events nor services', () => {
    offenders(
      inServices
        .filter((file) => /\/store(\.ts|\/)/.test(file.path))
        .flatMap((file) =>
          targetsOf(file)
            .filter((target) => /\/(rpc|lease-rpc|events|service|main)\.ts$/.test(target))
            .map((target) => `${file.path} → ${target}`),
        ),
    );
  });

  test('SQL stands in stores only', () => {
    const sql = /\b(?:select\s+[\w*(]|insert into\s|update\s+\w+\s+set\s|delete from\s)/i;
    offenders(
      inServices
        .filter((file) => !/\/store(\.ts|\/)/.test(file.path))
        .filter((file) =>
          [...file.text.matchAll(/[`']([^`']*)[`']/g)].some(
            (match) => sql.test(match[1] ?? '') && match[1] !== 'select 1',
          ),
        )
        .map((file) => file.path),
    );
  });
});

describe('things that have one place', () => {
  const only = (what: string, pattern: RegExp, where: RegExp) =>
    test(`${what}`, () => {
      offenders(
        production
          .filter((file) => pattern.test(file.text) && !where.test(file.path))
          .map((file) => file.path),
      );
    });

  only('the environment is read by main.ts only', /process\.env\b/, /\/main\.ts$|deploy\//);
  only(
    'ffmpeg is run by the splitter’s ffmpeg module only',
    /\bspawn\(/,
    /splitter\/src\/media\/ffmpeg\/|deploy\//,
  );
  only('kafkajs is known to its adapter only', /from 'kafkajs'/, /chassis\/src\/event-bus\//);
  test('Kafka’s client is taken from where it is mended, by tests and tools, too', () => {
    const takesItself = /import \{[^}]*(?<!type )\bKafka\b[^}]*\} from 'kafkajs'/;
    offenders(
      globSync('{services,gateway,clients,deploy,tests,load-tests}/**/*.ts', {
        cwd: ROOT,
        exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
      }).filter((path) => takesItself.test(readFileSync(join(ROOT, path), 'utf8'))),
    );
  });
  // The operator names the key set of an external issuer and the services' addresses; callers have no say in those.
  // The client and the console run with the caller, and ask us.
  only(
    'what callers name is reached through the guarded egress only',
    /from 'undici'|(?<![.\w])fetch\(/,
    /chassis\/src\/(egress\/|rpc\/)|deploy\/|clients\/|gateway\/(console|src\/credentials\/credentials\.ts$)/,
  );
  only('the S3 client is known to its adapter only', /from '@aws-sdk\//, /chassis\/src\/object-store\//);
  only('Stripe is known to its adapter only', /from 'stripe'/, /billing\/src\/payment\//);
});

test('no file is longer than 400 lines', () => {
  offenders(files.filter((file) => file.text.split('\n').length > 401).map((file) => file.path));
});

test('file names say what is inside', () => {
  offenders(
    files
      .filter((file) => /(^|[-/])(utils?|common|helpers?|manager)\b/.test(file.path))
      .map((file) => file.path),
  );
});

test('every command that runs TypeScript takes our packages from their source, so that nothing has to be built first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const runsBuilt = (command: string) =>
    /\bnode .*\.ts\b/.test(command) && !command.includes('--conditions=audiosplit-source');
  offenders(Object.keys(scripts).filter((name) => (scripts[name] ?? '').split(/ && | -- /).some(runsBuilt)));
});
