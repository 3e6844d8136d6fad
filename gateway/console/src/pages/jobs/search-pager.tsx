import type { FoundJobs } from '../../api/client.ts';
import { formatDay, plural } from '../../format/format.ts';

interface SearchPagerProps {
  readonly found: FoundJobs;
  readonly isFirst: boolean;
  /** Goes to the page after the token, or to the first one. */
  readonly onTurn: (after: string | undefined) => void;
}

/** The total is unknown: a search continues where the previous page ended. */
export function SearchPager({ found, isFirst, onTurn }: SearchPagerProps) {
  const { data, nextPageToken, lookedBackTo } = found;
  const isWhole = isFirst && nextPageToken === undefined;
  const summary =
    lookedBackTo === undefined
      ? `${plural(data.length, 'job')} ${isWhole ? 'found' : 'on this page'}`
      : `${plural(data.length, 'job')} back to ${formatDay(lookedBackTo)}`;
  if (isWhole) {
    return (
      <p class="quiet-line" role="status">
        {data.length > 0 && summary}
      </p>
    );
  }
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button
        type="button"
        class="button"
        aria-disabled={isFirst}
        onClick={() => !isFirst && onTurn(undefined)}
      >
        Newest
      </button>
      <span role="status">{summary}</span>
      <button
        type="button"
        class="button"
        aria-disabled={nextPageToken === undefined}
        onClick={() => nextPageToken !== undefined && onTurn(nextPageToken)}
      >
        {lookedBackTo === undefined ? 'Older' : 'Search older jobs'}
      </button>
    </nav>
  );
}
