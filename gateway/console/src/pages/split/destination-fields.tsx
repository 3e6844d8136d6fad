import { type Destination, folderOf } from '../../audio/destination.ts';
import { Field } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { useConnections } from '../../state/connections.ts';

export interface DestinationProps {
  readonly destination: Destination;
  /** A batch has none. */
  readonly isOfBatch: boolean;
  readonly onChange: (destination: Destination) => void;
}

const PAGE = '/account/connections';

/** A bucket that the segments are put into, and whether they are kept here besides. */
export function DestinationFields({ destination, isOfBatch, onChange }: DestinationProps) {
  const { data, failure, reload } = useConnections();
  const connections = data ?? [];
  const { connection, prefix, keepsNoCopy } = destination;
  const chosen = connections.find(({ id, name }) => name === connection || id === connection);
  const isChosen = connection !== '';
  if (isOfBatch) {
    if (!isChosen) return null;
    return <p class="hint more-whole">Segments of a batch stay here: it has no bucket.</p>;
  }
  return (
    <>
      <div class="more-whole">
        <Field
          label="Store the segments in a bucket"
          hint={
            <>
              {chosen === undefined ? 'As well as here, or instead. ' : `In ${folderOf(chosen)}. `}
              <Link to={PAGE}>{data?.length === 0 ? 'Connect a bucket' : 'Your connections'}</Link>
            </>
          }
        >
          {(ids) => (
            <select
              {...ids}
              value={chosen?.name ?? connection}
              onChange={(event) => onChange({ ...destination, connection: event.currentTarget.value })}
            >
              <option value="">None</option>
              {connections.map(({ id, name }) => (
                <option key={id} value={name}>
                  {name}
                </option>
              ))}
              {/* Of a job whose connection is gone, or while they are not known. */}
              {isChosen && chosen === undefined && <option value={connection}>{connection}</option>}
            </select>
          )}
        </Field>
        {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      </div>
      {isChosen && (
        <>
          <div class="more-whole">
            <Field
              label="Folder in it"
              hint="Inside the connection's folder. Each job gets a folder of its own in it."
            >
              {(ids) => (
                <input
                  {...ids}
                  type="text"
                  autocomplete="off"
                  placeholder="segments/"
                  value={prefix}
                  onInput={(event) => onChange({ ...destination, prefix: event.currentTarget.value })}
                />
              )}
            </Field>
          </div>
          <label class="choice more-whole">
            <input
              type="checkbox"
              checked={keepsNoCopy}
              onChange={(event) => onChange({ ...destination, keepsNoCopy: event.currentTarget.checked })}
            />
            <span>
              Keep no copy here
              <span class="hint">
                The segments are in the bucket only. You cannot play or download them here.
              </span>
            </span>
          </label>
        </>
      )}
    </>
  );
}
