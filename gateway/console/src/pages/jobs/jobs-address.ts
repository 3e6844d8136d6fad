/** Which jobs the page shows: all of it is in its address, so that a reload and the way back find the same. */

export const FILTERS = ['all', 'queued', 'processing', 'completed', 'failed'] as const;
export type Filter = (typeof FILTERS)[number];

export interface JobsAddress {
  readonly filter: Filter;
  /** What is searched for; empty for nothing. */
  readonly text: string;
  /** Of the list. */
  readonly page: number;
  /** Of a search, the token of the page before. */
  readonly after: string | undefined;
}

export const ALL_JOBS: JobsAddress = { filter: 'all', text: '', page: 1, after: undefined };

/** From the query of the address, which anybody may have written. */
export function parseJobsAddress(query: string): JobsAddress {
  const params = new URLSearchParams(query);
  const page = Number(params.get('page'));
  return {
    filter: FILTERS.find((each) => each === params.get('status')) ?? 'all',
    text: params.get('q') ?? '',
    page: Number.isInteger(page) && page > 1 ? page : 1,
    after: params.get('after') ?? undefined,
  };
}

export function jobsPath({ filter, text, page, after }: JobsAddress): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (filter !== 'all') params.set('status', filter);
  if (page > 1) params.set('page', String(page));
  if (after !== undefined) params.set('after', after);
  return params.size === 0 ? '/jobs' : `/jobs?${params}`;
}
