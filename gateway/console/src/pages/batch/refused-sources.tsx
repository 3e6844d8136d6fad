import { plural } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';
import type { RefusedSource } from '../../state/refused-sources.ts';

/** Of which the batch has no job, and why. */
export function RefusedSources({ sources }: { readonly sources: readonly RefusedSource[] }) {
  if (sources.length === 0) return null;
  return (
    <section class="notice notice-bad refused" aria-label="Refused">
      <Icon name="alert" />
      <div>
        <p>{plural(sources.length, 'source')} refused. No job was made of:</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <ul tabIndex={0}>
          {sources.map(({ place, source, message }) => (
            <li key={place}>
              Line {place.toLocaleString('en')}, <strong>{source}</strong>: {message}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
