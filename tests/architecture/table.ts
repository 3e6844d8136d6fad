/** Which room may import which: the rows of the table in docs/architecture.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';

interface Row {
  /**
   * A room, or `*` for every room of a folder. All rows that match a room apply together; "nothing" for the
   * room itself overrides them.
   */
  readonly room: string;
  /**
   * Rooms, or files of them; `*` stands for one name, and a trailing ` (types)` for imports that are gone
   * once types are stripped.
   */
  readonly mayImport: readonly string[];
}

const PAGE = readFileSync(join(repositoryRoot, 'docs/architecture.md'), 'utf8');
/** The lines of the table below its head. */
export const TABLE_LINES =
  /^\| room \| may import \|\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(PAGE)?.[1]?.trimEnd().split('\n') ?? [];

export const ROWS: readonly Row[] = TABLE_LINES.flatMap((line) => {
  const [, room = '', cell = ''] = /^\| `([^`]+)` \| (nothing|`.*`) \|$/.exec(line) ?? [];
  return room === ''
    ? []
    : [{ room, mayImport: [...cell.matchAll(/`([^`]+)`/g)].map(([, entry = '']) => entry) }];
});

const SPLIT_BY_FOLDER = ['services', 'clients', 'deploy', 'tests'];

/** The room of a file: the one whose row matches. */
export function roomOf(path: string): string | undefined {
  const [first = '', second = ''] = path.split('/');
  const room = path.startsWith('gateway/console/')
    ? 'gateway/console'
    : SPLIT_BY_FOLDER.includes(first)
      ? // Files at the top of deploy/ are the launcher's.
        `${first}/${path.split('/').length === 2 ? 'launcher' : second}`
      : first;
  return ROWS.some((row) => fits(row.room, room)) ? room : undefined;
}

export function mayImport(room: string, target: string, typeOnly: boolean): boolean {
  const targetRoom = roomOf(target) ?? target;
  if (targetRoom === room) return true;
  const rows = ROWS.filter((row) => fits(row.room, room));
  if (rows.some((row) => row.room === room && row.mayImport.length === 0)) return false;
  return rows
    .flatMap((row) => row.mayImport)
    .some((entry) => {
      const pattern = entry.replace(/ \(types\)$/, '');
      return (typeOnly || pattern === entry) && (fits(pattern, targetRoom) || fits(pattern, target));
    });
}

/** Whether a file is in a room of this pattern. */
export const isIn = (pattern: string, path: string) => fits(pattern, roomOf(path) ?? '');

function fits(pattern: string, path: string): boolean {
  const expression = pattern
    .replaceAll('.', '\\.')
    .replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]+' : '(?:[^/]+/)*'));
  return new RegExp(`^${expression}$`).test(path);
}
