/** Checks every tracked source file against the rooms and arrows of docs/architecture.md. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { filesInCircles, forbiddenArrows, linesWithWrongWords, none } from './breaches.ts';
import { packageOf, rootManifest, type SourceFile, sourceFiles, workspaceOf } from './source-files.ts';
import { isIn, mayImport, ROWS, roomOf, TABLE_LINES } from './table.ts';

const MAX_LINES = 400;
/** In the first lines of a longer file. */
const REASON = /^.*Longer than 400 lines: \S/m;

const EXPORTING = /^(proto|services\/[^/]+\/src|gateway\/src)\//;

describe('rooms', () => {
  test('every file is in a room', () => {
    none(sourceFiles.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path));
  });

  test('docs/architecture.md shows the table of arrows', () => {
    assert.ok(ROWS.length > 0);
    assert.equal(ROWS.length, TABLE_LINES.length, 'every line of the table is a row');
    none(ROWS.map(({ room }) => room).filter((room) => !sourceFiles.some(({ path }) => isIn(room, path))));
  });
});

test('docs/decisions/README.md lists every decision by its title', () => {
  const folder = join(repositoryRoot, 'docs/decisions');
  const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  const expected = pages.sort().map((name) => {
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    return `${number}. [${title}](${name})`;
  });
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  assert.deepEqual(index.match(/^\d+\. .+$/gm), expected);
});

test('rooms import only what their rows list', () => none(forbiddenArrows()));
test('no file imports itself through others', () => none(filesInCircles()));
test('identifiers, comments, titles of tests, pages and protos use standard terms', () =>
  none(linesWithWrongWords()));

describe('packages', () => {
  /**
   * Bundled into files that import nothing any more, so that all their packages are development dependencies.
   */
  const bundled = ['@audiosplit/console'];
  /** Provided by the program that runs the scripts: https://grafana.com/docs/k6/latest/javascript-api/ */
  const providedByK6 = (file: SourceFile, name: string) =>
    name === 'k6' && /^(load-tests\/k6|charts)\//.test(file.path);

  test('every imported package is declared by the workspace that imports it', () => {
    none(
      sourceFiles
        .filter(({ path }) => roomOf(path) !== 'charts')
        .flatMap((file) => {
          const manifest = workspaceOf(file.path)?.manifest ?? rootManifest;
          const { dependencies, optionalDependencies, peerDependencies } = manifest;
          const installed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
          const all = { ...installed, ...manifest.devDependencies, ...rootManifest.devDependencies };
          const room = roomOf(file.path) ?? '';
          return file.imports
            .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
            .filter(({ target, typeOnly }) => target === undefined || mayImport(room, target, typeOnly))
            .map(({ specifier, typeOnly }) => ({ name: packageOf(specifier), typeOnly }))
            .filter(({ name }) => name !== manifest.name && !builtinModules.includes(name))
            .filter(({ name }) => !providedByK6(file, name))
            .filter(({ name, typeOnly }) => {
              const forDevelopment = file.isTest || typeOnly || bundled.includes(manifest.name);
              return (forDevelopment ? all : installed)[name] === undefined;
            })
            .map(({ name }) => `${file.path} → ${name}`);
        }),
    );
  });

  test('packages with a manifest of exports are imported by their names', () => {
    none(
      sourceFiles.flatMap((file) =>
        file.imports
          .filter(({ specifier, target = '' }) => specifier.startsWith('.') && EXPORTING.test(target))
          .filter(({ target = '' }) => workspaceOf(target)?.folder !== workspaceOf(file.path)?.folder)
          .map(({ specifier }) => `${file.path} → ${specifier}`),
      ),
    );
  });
});

describe('files', () => {
  const pathsWhere = (isWrong: (file: SourceFile) => boolean) =>
    sourceFiles.filter(isWrong).map(({ path }) => path);

  test(`no file is longer than ${MAX_LINES} lines without a reason at its top`, () => {
    const isLong = ({ text }: SourceFile) => text.split('\n').length > MAX_LINES + 1;
    none(pathsWhere((each) => !each.generated && isLong(each) && !REASON.test(each.text.slice(0, 1_000))));
  });

  test('file names describe the contents', () => {
    none(pathsWhere(({ path }) => /(^|[-/.])(utils?|common|helpers?|manager)\b/.test(path)));
  });
});
