import { plural } from '../format/format.ts';

interface PagerProps {
  readonly pagination: { readonly page: number; readonly total: number; readonly totalPages: number };
  /** One of what is listed: "job". */
  readonly noun: string;
  /** Where it is not the noun with an s. */
  readonly nouns?: string;
  /** Of the buttons, where the list does not begin with the newest. */
  readonly earlier?: string;
  readonly later?: string;
  readonly onTurn: (page: number) => void;
}

/** Nothing where everything is on one page. */
export function Pager(props: PagerProps) {
  const { pagination, noun, nouns, earlier = 'Newer', later = 'Older', onTurn } = props;
  const { page, total, totalPages } = pagination;
  if (totalPages <= 1) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button
        type="button"
        class="button"
        aria-disabled={page <= 1}
        onClick={() => page > 1 && onTurn(page - 1)}
      >
        {earlier}
      </button>
      <span>
        Page {page} of {totalPages} · {plural(total, noun, nouns)}
      </span>
      <button
        type="button"
        class="button"
        aria-disabled={page >= totalPages}
        onClick={() => page < totalPages && onTurn(page + 1)}
      >
        {later}
      </button>
    </nav>
  );
}
