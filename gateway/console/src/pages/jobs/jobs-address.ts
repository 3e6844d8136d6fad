/** The filter of the jobs page, kept in its address, so that a reload and the back button restore it. */

export const FILTERS = ['all', 'queued', 'processing', 'completed', 'failed', 'canceled'] as const;
export type Filter = (typeof FILTERS)[number];

export interface JobsAddress {
  readonly filter: Filter;
  /** Search text. Empty: no search. */
  readonly text: string;
  /** Page of the list. */
  readonly page: number;
  /** Token of a search's previous page. */
  readonly after: string | undefined;
}

export const ALL_JOBS: JobsAddress = { filter: 'all', text: '', page: 1, after: undefined };

/** Parses the address, which is untrusted input. */
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

/** Of the API, to which a canceled job has failed. */
export function statusOf({ filter }: JobsAddress) {
  if (filter === 'all') return {};
  return { status: filter === 'canceled' ? ('failed' as const) : filter };
}

/** Undefined: it makes no difference. */
export function canceledIn({ filter }: JobsAddress): boolean | undefined {
  return filter === 'failed' || filter === 'canceled' ? filter === 'canceled' : undefined;
}

/** `place` is the path of a page with such a list. */
export function jobsPath({ filter, text, page, after }: JobsAddress, place = '/jobs'): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (filter !== 'all') params.set('status', filter);
  if (page > 1) params.set('page', String(page));
  if (after !== undefined) params.set('after', after);
  return params.size === 0 ? place : `${place}?${params}`;
}
