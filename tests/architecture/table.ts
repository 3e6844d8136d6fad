/** Which room may import which. docs/architecture.md shows the same rows; a test holds the two together. */

export interface Row {
  /** A room, or `*` for every room of a folder. All rows that fit a room add up; "nothing" for the room itself outweighs them. */
  readonly room: string;
  /**
   * Rooms, or files of them; `*` stands for one name, and a trailing ` (types)` for imports that are gone once types are
   * stripped.
   */
  readonly mayImport: readonly string[];
}

export const ROWS: readonly Row[] = [
  { room: 'proto', mayImport: [] },
  { room: 'charts', mayImport: [] },
  { room: 'deploy/launcher', mayImport: [] },
  { room: 'services/chassis', mayImport: ['proto'] },
  { room: 'services/*', mayImport: ['proto', 'services/chassis'] },
  { room: 'gateway', mayImport: ['proto', 'services/chassis'] },
  { room: 'gateway/console', mayImport: ['gateway (types)', 'proto/vocabulary.ts'] },
  { room: 'clients/typescript', mayImport: [] },
  { room: 'clients/cli', mayImport: ['clients/typescript'] },
  { room: 'deploy/*', mayImport: ['deploy/launcher', 'deploy/provision', 'services/chassis'] },
  {
    room: 'deploy/operations',
    mayImport: [
      'proto',
      'services/*/src/client.ts',
      'services/*/src/schema.ts',
      'services/billing/src/billing.fixture.ts',
    ],
  },
  { room: 'deploy/embedded', mayImport: ['proto', 'services/*', 'gateway', 'clients/cli'] },
  {
    room: 'deploy/processes',
    mayImport: [
      'deploy/engines',
      'deploy/embedded',
      'proto',
      'services/*/src/config.ts',
      'services/splitter/src/media/ffmpeg/binary.ts',
      'gateway/src/config.ts',
    ],
  },
  { room: 'deploy/containers', mayImport: ['deploy/engines', 'deploy/processes'] },
  { room: 'deploy/kubernetes', mayImport: ['deploy/engines', 'deploy/containers'] },
  {
    room: 'tests/*',
    mayImport: [
      'tests/harness',
      'proto',
      'clients/*',
      'services/chassis',
      'deploy/launcher',
      'deploy/provision',
    ],
  },
  { room: 'tests/harness', mayImport: ['services/*', 'gateway', 'deploy/*'] },
  { room: 'tests/product', mayImport: ['services/*', 'gateway'] },
  { room: 'tests/simulation', mayImport: ['services/*'] },
  { room: 'tests/acceptance', mayImport: ['deploy/containers'] },
  { room: 'tests/browser', mayImport: ['gateway/console'] },
  { room: 'tests/guide', mayImport: ['gateway/console'] },
  { room: 'tests/engines', mayImport: ['deploy/operations'] },
  { room: 'tests/drills', mayImport: ['deploy/operations'] },
  { room: 'tests/upgrade', mayImport: ['deploy/operations'] },
  { room: 'tests/kubernetes', mayImport: ['deploy/kubernetes'] },
  {
    room: 'tests/chart',
    mayImport: [
      'deploy/kubernetes',
      'deploy/operations',
      'services/*/src/config.ts',
      'gateway/src/**/config.ts',
    ],
  },
  {
    room: 'load-tests',
    mayImport: [
      'tests/harness',
      'clients/typescript',
      'proto',
      'services/chassis',
      'deploy/launcher',
      'deploy/provision',
    ],
  },
];

const SPLIT_BY_FOLDER = ['services', 'clients', 'deploy', 'tests'];

/** The room that a file is in: the one whose row fits. */
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

function fits(pattern: string, path: string): boolean {
  const expression = pattern
    .replaceAll('.', '\\.')
    .replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]+' : '(?:[^/]+/)*'));
  return new RegExp(`^${expression}$`).test(path);
}
