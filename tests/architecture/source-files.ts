/**
 * Reads every tracked source file: its imports, and the words of its comments, identifiers and test titles.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { type Token, tokenize } from './tokens.ts';

interface Import {
  readonly specifier: string;
  /** The imported file relative to the repository's root; undefined for a package from npm or Node. */
  readonly target: string | undefined;
  /** Whether stripping the types removes the import. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** The contents of its strings and templates. */
  readonly strings: readonly string[];
  /** Comments, identifiers and test titles, line by line. */
  readonly wording: readonly string[];
  readonly generated: boolean;
  /** Whether only tests and tools load it, so that it may use development dependencies. */
  readonly isTest: boolean;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Workspace {
  readonly folder: string;
  readonly manifest: Manifest;
}

const FOR_DEVELOPMENT =
  /^(tests|load-tests)\/|\.(test|contract|fixture)\.ts$|\/(testing|suites|bench|fuzz|samples)\/|^(gateway|clients\/typescript)\/generate\//;

const tracked = execFileSync('git', ['ls-files'], { cwd: repositoryRoot, encoding: 'utf8' })
  .trim()
  .split('\n');

const workspaces: readonly Workspace[] = tracked
  .filter((path) => /^(?!tests\/).+\/package\.json$|^tests\/(n8n\/linter\/)?package\.json$/.test(path))
  .map((path) => ({ folder: posix.dirname(path), manifest: readManifest(path) }));

export const rootManifest = readManifest('package.json');

export const sourceFiles: readonly SourceFile[] = tracked
  .filter((path) => /\.(ts|tsx|mjs)$/.test(path))
  .map(readSourceFile);

/** Pages, protos and shell scripts, line by line, their name first. */
export const texts: readonly { readonly path: string; readonly wording: readonly string[] }[] = tracked
  .filter((path) => /\.(md|proto|sh)$/.test(path))
  .map((path) => {
    const lines = readFileSync(join(repositoryRoot, path), 'utf8').split('\n');
    return { path, wording: [posix.basename(path), ...lines] };
  });

/** The innermost workspace that a file is in. */
export function workspaceOf(path: string): Workspace | undefined {
  const around = workspaces.filter(({ folder }) => path.startsWith(`${folder}/`));
  return around.sort((a, b) => a.folder.length - b.folder.length).at(-1);
}

export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as Manifest;
}

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(join(repositoryRoot, path), 'utf8');
  const generated = /\/(gen|generated)\//.test(path);
  const tokens = tokenize(text);
  return {
    path,
    text,
    imports: findImports(path, tokens),
    strings: tokens
      .filter(({ kind }) => kind === 'string' || kind === 'template')
      .map((token) => token.text.slice(1, -1)),
    wording: generated ? [] : findWording(path, tokens),
    generated,
    isTest: FOR_DEVELOPMENT.test(path),
  };
}

function findImports(path: string, tokens: readonly Token[]): Import[] {
  const found: Import[] = [];
  let code = '';
  for (const token of tokens) {
    if (token.kind === 'code') code += token.text;
    else if (token.kind === 'comment') {
      for (const [, specifier = ''] of token.text.matchAll(/\bimport\('([^']+)'\)/g)) {
        found.push({ specifier, target: targetOf(path, specifier), typeOnly: true });
      }
    } else {
      if (token.kind === 'string' && /\bfrom\s*$|\bimport\s*\(?\s*$/.test(code)) {
        const specifier = token.text.slice(1, -1);
        const statement = code.slice(Math.max(code.lastIndexOf('import'), code.lastIndexOf('export')));
        found.push({
          specifier,
          target: targetOf(path, specifier),
          typeOnly: /^(?:import|export)\s+type\b/.test(statement),
        });
      }
      code = '';
    }
  }
  return found;
}

function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const name = packageOf(specifier);
  const workspace = workspaces.find(({ manifest }) => manifest.name === name);
  if (workspace === undefined) return undefined;
  const subpath = `.${specifier.slice(name.length)}`;
  for (const [pattern, target] of Object.entries(workspace.manifest.exports ?? {})) {
    const [before = '', after] = pattern.split('*');
    const matches = after === undefined ? subpath === before : subpath.startsWith(before);
    if (!matches) continue;
    const file = typeof target === 'string' ? target : (target['audiosplit-source'] ?? target.default ?? '');
    return posix.join(workspace.folder, file.replace('*', subpath.slice(before.length)));
  }
  return `${workspace.folder}/${subpath}`;
}

function findWording(path: string, tokens: readonly Token[]): string[] {
  let code = '';
  const wording = tokens.map((token) => {
    const isTitle =
      (token.kind === 'string' || token.kind === 'template') &&
      /\b(?:test|it|describe|suite)(?:\.\w+)*\(\s*$/.test(code);
    if (token.kind !== 'comment') code = token.kind === 'code' ? token.text : '';
    const isWording = token.kind === 'code' || token.kind === 'comment' || isTitle;
    return isWording ? token.text : token.text.replaceAll(/[^\n]/g, ' ');
  });
  return [posix.basename(path), ...wording.join('').split('\n')];
}
