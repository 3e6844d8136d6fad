/** What breaks the rules that the code does not keep everywhere yet. today.json holds how many there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SourceFile, sourceFiles } from './source-files.ts';
import { mayImport, roomOf } from './table.ts';
import { wrongWords } from './words.ts';

export const TODAY = join(import.meta.dirname, 'today.json');

/** One line for each breach, by what today.json counts them under. */
type Breaches = Readonly<Record<string, readonly string[]>>;
export type Counts = Readonly<Record<string, number>>;

/** By `room → room`: each import that no row of the table allows. */
function forbiddenArrows(): Breaches {
  return grouped(
    sourceFiles.flatMap((file) => {
      const room = roomOf(file.path) ?? '';
      return file.imports.flatMap(({ target, typeOnly }) =>
        target === undefined || mayImport(room, target, typeOnly)
          ? []
          : [[`${room} → ${roomOf(target) ?? target}`, `${file.path} → ${target}`]],
      );
    }),
  );
}

/** By room: each file from which imports, those of types included, lead back to itself. */
function filesInCircles(): Breaches {
  return grouped(
    findCircles().flatMap((circle) =>
      circle.map((path) => {
        const next = importsOf(path).filter((target) => circle.includes(target));
        return [roomOf(path) ?? '', `${path} → ${[...new Set(next)].join(', ')}`];
      }),
    ),
  );
}

/** By room: each line with a word of words.ts in an identifier, a comment or the title of a test. */
function linesWithWrongWords(): Breaches {
  return grouped(
    sourceFiles.flatMap((file) => {
      const room = roomOf(file.path) ?? '';
      return file.wording.flatMap((line, number) => {
        const found = wrongWords(line, room);
        return found.length === 0 ? [] : [[room, `${file.path}:${number} ${found.join(', ')}`]];
      });
    }),
  );
}

export const RULES = {
  arrows: forbiddenArrows,
  circles: filesInCircles,
  words: linesWithWrongWords,
} as const;
export type Rule = keyof typeof RULES;

export function readToday(): Readonly<Record<Rule, Counts>> {
  return JSON.parse(readFileSync(TODAY, 'utf8')) as Record<Rule, Counts>;
}

function grouped(breaches: readonly (readonly string[])[]): Breaches {
  const groups = Object.groupBy(breaches, ([key = '']) => key);
  return Object.fromEntries(
    Object.entries(groups)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, group = []]) => [key, group.map(([, line = '']) => line)]),
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
