import { useEffect, useRef, useState } from 'preact/hooks';
import { capitalized } from '../../format/format.ts';
import { FILTERS, type Filter } from './jobs-address.ts';

interface JobFiltersProps {
  readonly filter: Filter;
  readonly text: string;
  /** Called when typing pauses, or at once on Enter. */
  readonly onChange: (change: { readonly filter: Filter; readonly text: string }) => void;
}

const TYPING_PAUSE_MS = 250;
const MAX_TEXT_LENGTH = 200;

export function JobFilters({ filter, text, onChange }: JobFiltersProps) {
  const [typed, setTyped] = useState(text);
  const reported = useRef(text);
  const timer = useRef<number | undefined>(undefined);
  // The browser's back button has changed the search.
  useEffect(() => {
    if (text === reported.current) return;
    clearTimeout(timer.current);
    reported.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const tell = (change: { readonly filter: Filter; readonly text: string }) => {
    clearTimeout(timer.current);
    reported.current = change.text;
    onChange(change);
  };
  return (
    <div class="filters">
      <div class="switch" role="radiogroup" aria-label="Status">
        {FILTERS.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="status"
              checked={filter === each}
              onChange={() => tell({ filter: each, text: typed })}
            />
            <span>{capitalized(each)}</span>
          </label>
        ))}
      </div>
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            tell({ filter, text: typed });
          }}
        >
          <input
            type="search"
            class="search"
            placeholder="Search by name, link or id"
            aria-label="Search all jobs by name, link or id"
            maxLength={MAX_TEXT_LENGTH}
            value={typed}
            onInput={({ currentTarget: { value } }) => {
              setTyped(value);
              clearTimeout(timer.current);
              timer.current = window.setTimeout(() => tell({ filter, text: value }), TYPING_PAUSE_MS);
            }}
          />
        </form>
      </search>
    </div>
  );
}
