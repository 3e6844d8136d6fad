/** Finds violations of the rules of docs/architecture.md; one line for each. */
import assert from 'node:assert/strict';
import { type SourceFile, sourceFiles, texts } from './source-files.ts';
import { mayImport, roomOf } from './table.ts';
import { wrongWords } from './words.ts';

export function none(found: readonly string[]): void {
  assert.deepEqual(found, []);
}

/** Imports that no row of the table allows. */
export function forbiddenArrows(): readonly string[] {
  return sourceFiles.flatMap(({ path, imports }) =>
    imports.flatMap(({ target, typeOnly }) =>
      target === undefined || mayImport(roomOf(path) ?? '', target, typeOnly) ? [] : `${path} → ${target}`,
    ),
  );
}

/** Files from which imports, including those of types, lead back to themselves. */
export function filesInCircles(): readonly string[] {
  return findCircles().flatMap((circle) =>
    circle.map((path) => {
      const next = importsOf(path).filter((target) => circle.includes(target));
      return `${path} → ${[...new Set(next)].join(', ')}`;
    }),
  );
}

/** Lines with a word of words.ts in an identifier, a comment or a test title, or in a text. */
export function linesWithWrongWords(): readonly string[] {
  return [...sourceFiles, ...texts].flatMap(({ path, wording }) =>
    wording.flatMap((line, number) => {
      const found = wrongWords(line, roomOf(path) ?? '');
      return found.length === 0 ? [] : `${path}:${number} ${found.join(', ')}`;
    }),
  );
}

const files = new Map<string, SourceFile>(sourceFiles.map((file) => [file.path, file]));

function importsOf(path: string): string[] {
  const targets = files.get(path)?.imports.flatMap(({ target }) => target ?? []) ?? [];
  return targets.filter((target) => files.has(target));
}

/** Tarjan's strongly connected components, of more than one file. */
function findCircles(): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string) => {
    const own = order.size;
    order.set(path, own);
    lowest.set(path, own);
    open.push(path);
    for (const target of importsOf(path)) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) {
        lowest.set(path, Math.min(lowest.get(path) ?? own, lowest.get(target) ?? own));
      }
    }
    if (lowest.get(path) !== own) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return circles;
}
