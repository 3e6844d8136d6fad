/** The processes of a run, and which of them have a small disk, a memory limit or a clock of their own. */

export interface SiteShape {
  readonly gateways: readonly string[];
  readonly splitters: readonly string[];
  readonly services: readonly string[];
  readonly leaseMs: number;
}

/** Which processes have a disk, a limit or a clock is decided when the site is made. */
export const LIMITED = {
  disk: ({ splitters }: SiteShape) => [nth(splitters, 0)],
  clock: ({ splitters, gateways }: SiteShape) => [
    'jobs',
    'billing',
    'webhooks',
    nth(gateways, 1),
    nth(splitters, 1),
  ],
  memory: ({ splitters }: SiteShape) => [nth(splitters, 2)],
} as const;

function nth(names: readonly string[], n: number): string {
  const name = names[n % names.length];
  if (name === undefined) throw new RangeError('there is no process to choose from');
  return name;
}
