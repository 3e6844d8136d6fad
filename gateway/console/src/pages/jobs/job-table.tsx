import { useState } from 'preact/hooks';
import { api, failureOf, type ListedJob } from '../../api/client.ts';
import { remedyOf, shownStatusOf } from '../../api/job-state.ts';
import { describeCut } from '../../audio/describe-cut.ts';
import { formatAgo, formatBytes, formatClock, formatDate } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { Link } from '../../parts/link.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { announce } from '../../state/announce.ts';
import { retryJob } from '../../state/retry-job.ts';
import { splitOtherwise } from '../../state/split-otherwise.ts';
import { RetryDialog } from '../job/retry-dialog.tsx';

interface JobTableProps {
  readonly rows: readonly ListedJob[];
  /** Which are chosen, by id. Undefined: none can be. */
  readonly choice?: {
    readonly chosen: ReadonlySet<string>;
    readonly onChoose: (jobId: string, isChosen: boolean) => void;
  };
  /** They are shown as those of one batch, which tries its failed ones again itself. */
  readonly isOfBatch?: boolean;
}

export function JobTable({ rows, choice, isOfBatch = false }: JobTableProps) {
  const nowMs = Date.now();
  const [asking, setAsking] = useState<ListedJob>();
  const { id: askedId, sourceHeaderNames } = asking ?? {};
  return (
    <>
      <Table columns={['Recording', 'Status', 'Source', 'Cut', 'Segments', 'Begun']} hasActions>
        {rows.map((job) => (
          <tr key={job.id} class="job-row">
            <th scope="row">
              <span class="job-row-name">
                {choice !== undefined && (
                  <input
                    type="checkbox"
                    class="job-row-choice"
                    checked={choice.chosen.has(job.id)}
                    onChange={(event) => choice.onChoose(job.id, event.currentTarget.checked)}
                    aria-label={`Choose ${job.sourceName}`}
                  />
                )}
                <span class="job-row-words">
                  <Link to={`/jobs/${job.id}`} class="row-link">
                    {job.sourceName}
                  </Link>
                  <span class="row-sub">{job.error?.message ?? `${originOf(job)} · ${job.id}`}</span>
                </span>
              </span>
            </th>
            <td data-label="Status">
              <StatusBadge status={shownStatusOf(job)} />
              {job.status === 'processing' && <span class="row-percent">{progressOf(job)}</span>}
            </td>
            <td data-label="Source" class={job.sourceSeconds === undefined ? 'number cell-empty' : 'number'}>
              {job.sourceSeconds === undefined ? '–' : formatClock(job.sourceSeconds)}
              {job.sourceBytes !== undefined && <span class="row-sub">{formatBytes(job.sourceBytes)}</span>}
            </td>
            <td data-label="Cut">{cutOf(job)}</td>
            <td data-label="Segments" class="number">
              {job.segmentCount?.toLocaleString('en') ?? '–'}
            </td>
            <td data-label="Begun">
              <time dateTime={job.createdAt} title={formatDate(job.createdAt)}>
                {formatAgo(job.createdAt, nowMs)}
              </time>
              {job.batchId !== undefined && !isOfBatch && (
                <Link
                  class="row-sub row-batch"
                  to={`/batches/${job.batchId}`}
                  aria-label={`In a batch, with ${job.sourceName}`}
                >
                  In a batch
                </Link>
              )}
            </td>
            <td class="row-actions">
              {!isOfBatch && job.error !== undefined && remedyOf(job.error.code) === 'again' && (
                <RowButton
                  label="Try again"
                  icon="retry"
                  jobName={job.sourceName}
                  onPress={async () => {
                    if (job.sourceHeaderNames === undefined) await retryJob(job.id);
                    else setAsking(job);
                  }}
                />
              )}
              {(job.status === 'completed' || job.status === 'failed') && (
                <RowButton
                  label="Other settings"
                  icon="sliders"
                  jobName={job.sourceName}
                  onPress={async () => splitOtherwise(await api.jobs.get.query({ jobId: job.id }))}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      {askedId !== undefined && sourceHeaderNames !== undefined && (
        <RetryDialog
          jobId={askedId}
          sourceHeaderNames={sourceHeaderNames}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly icon: 'retry' | 'sliders';
  readonly jobName: string;
  readonly onPress: () => Promise<void>;
}

function RowButton({ label, icon, jobName, onPress }: RowButtonProps) {
  const [isRunning, setRunning] = useState(false);
  const press = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      await onPress();
    } catch (error) {
      announce(failureOf(error).message);
    }
    setRunning(false);
  };
  return (
    <button
      type="button"
      class="button button-icon"
      onClick={press}
      aria-disabled={isRunning}
      aria-label={`${label}: ${jobName}`}
      title={label}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}

/** While the source is fetched, 0 % would only stand still. */
function progressOf({ fetching, progress }: ListedJob): string {
  return fetching === undefined || progress > 0 ? `${progress} %` : 'Fetching';
}

function originOf({ isUpload, sourceUrl }: ListedJob): string {
  return isUpload ? 'Uploaded' : (URL.parse(sourceUrl)?.host ?? 'Link');
}

function cutOf(job: ListedJob): string {
  const cut = describeCut(job);
  return job.outputFormat === undefined ? cut : `${cut}, ${job.outputFormat}`;
}
