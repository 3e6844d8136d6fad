import { plural } from '../format/format.ts';

interface PagerProps {
  readonly pagination: { readonly page: number; readonly total: number; readonly totalPages: number };
  /** One of what is listed: "job". */
  readonly noun: string;
  /** Where it is not the noun with an s. */
  readonly nouns?: string;
  readonly onTurn: (page: number) => void;
}

/** Nothing where everything is on one page. */
export function Pager({ pagination: { page, total, totalPages }, noun, nouns, onTurn }: PagerProps) {
  if (totalPages <= 1) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button
        type="button"
        class="button"
        aria-disabled={page <= 1}
        onClick={() => page > 1 && onTurn(page - 1)}
      >
        Newer
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
        Older
      </button>
    </nav>
  );
}
