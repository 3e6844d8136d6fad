/** The paths of the console's pages. The gateway serves the document at the same ones. */
const PAGE_PATHS = [
  '/',
  '/sign-in',
  '/sign-in/link',
  '/sign-up',
  '/password/forgot',
  '/password/reset',
  '/verify',
  '/jobs',
  '/keys',
  '/webhooks',
  '/usage',
  '/billing',
  '/account',
  '/account/connections',
  '/account/security',
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];

const KNOWN: ReadonlySet<string> = new Set(PAGE_PATHS);

export function isPage(path: string): boolean {
  return isPagePath(path) || jobIdIn(path) !== undefined || batchIdIn(path) !== undefined;
}

/** Whether it is a path without an id. */
export function isPagePath(path: string): path is PagePath {
  return KNOWN.has(path);
}

export function jobIdIn(path: string): string | undefined {
  return /^\/jobs\/([\w-]{1,64})$/.exec(path)?.[1];
}

export function batchIdIn(path: string): string | undefined {
  return /^\/batches\/([\w-]{1,64})$/.exec(path)?.[1];
}
