import {
  type Chosen,
  type ChosenBatch,
  type ChosenSource,
  chosenOf,
  nameOf,
} from '../../audio/chosen-source.ts';
import { formatBytes, plural } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';

interface BatchSourcesProps {
  readonly batch: ChosenBatch;
  readonly isDisabled: boolean;
  /** Of a file, in the plan of the account. */
  readonly maxBytes: number | undefined;
  readonly onChange: (source: Chosen | undefined) => void;
}

/** In the place of the plan, which is of one recording. */
export function BatchSources({ batch, isDisabled, maxBytes, onChange }: BatchSourcesProps) {
  const { sources } = batch;
  return (
    <section class="card plan batch-sources" aria-label="Sources">
      <h2>{nameOf(batch)}, one setting</h2>
      <p class="hint">Each becomes a job of its own; the batch has them on one page, and one download.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <ol tabIndex={0} aria-label={plural(sources.length, 'source')}>
        {sources.map((source, place) => {
          const problem = problemOf(source, maxBytes);
          return (
            <li key={place}>
              <span class="batch-source-name" title={nameOf(source)}>
                {nameOf(source)}
              </span>
              {problem === undefined ? (
                source.kind === 'file' && <span class="hint number">{formatBytes(source.file.size)}</span>
              ) : (
                <span class="problem">{problem}</span>
              )}
              {source.kind === 'file' && (
                <button
                  type="button"
                  class="button button-quiet button-icon"
                  aria-disabled={isDisabled}
                  aria-label={`Leave out ${nameOf(source)}`}
                  title="Leave out"
                  onClick={() => !isDisabled && onChange(chosenOf(sources.filter((each) => each !== source)))}
                >
                  <Icon name="close" size={16} />
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The service decides: what it refuses, it says so. */
function problemOf(source: ChosenSource, maxBytes: number | undefined): string | undefined {
  if (source.kind === 'file') {
    return maxBytes !== undefined && source.file.size > maxBytes ? 'too large for your plan' : undefined;
  }
  return /^(?:https?|s3):$/.test(URL.parse(source.url)?.protocol ?? '')
    ? undefined
    : 'not a link: no job is created for it';
}
