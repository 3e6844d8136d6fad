/** The processes of a run, and which of them have a small disk, a memory limit or a separate clock. */
export interface RunShape {
  readonly gateways: readonly string[];
  readonly splitters: readonly string[];
  readonly services: readonly string[];
  readonly leaseMs: number;
}

export interface RunCounts {
  readonly gateways: number;
  readonly splitters: number;
  readonly leaseSeconds: number;
}

const SERVICES = ['billing', 'auth', 'account', 'webhooks', 'jobs'];

export function namesOf(counts: RunCounts): RunShape {
  const names = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);
  return {
    gateways: names('gateway', counts.gateways),
    splitters: names('splitter', counts.splitters),
    services: SERVICES,
    leaseMs: counts.leaseSeconds * 1_000,
  };
}

/** Decided at the start of a run, because a process keeps its disk, limit or clock. */
export const LIMITED = {
  disk: ({ splitters }: RunShape) => [nth(splitters, 0)],
  clock: ({ splitters, gateways }: RunShape) => [
    'jobs',
    'billing',
    'webhooks',
    nth(gateways, 1),
    nth(splitters, 1),
  ],
  memory: ({ splitters }: RunShape) => [nth(splitters, 2)],
} as const;

function nth(names: readonly string[], n: number): string {
  const name = names[n % names.length];
  if (name === undefined) throw new RangeError('there is no process to choose from');
  return name;
}
