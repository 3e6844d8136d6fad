import type { Batch } from '../../api/client.ts';
import { capitalized } from '../../format/format.ts';
import { FILTERS, type Filter } from '../jobs/jobs-address.ts';

interface BatchFiltersProps {
  readonly batch: Batch;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

/** Says how many jobs are where, and shows those. */
export function BatchFilters({ batch, filter, onChange }: BatchFiltersProps) {
  const countOf = (each: Filter) => (each === 'all' ? batch.total : batch[each]);
  const shown = FILTERS.filter((each) => each === 'all' || each === filter || countOf(each) > 0);
  return (
    <div class="filters">
      <div class="switch" role="radiogroup" aria-label="Status">
        {shown.map((each) => (
          <label key={each}>
            <input type="radio" name="status" checked={filter === each} onChange={() => onChange(each)} />
            <span class="number">{`${capitalized(each)} ${countOf(each).toLocaleString('en')}`}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
