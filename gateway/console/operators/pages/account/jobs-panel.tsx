import { useState } from 'preact/hooks';
import { shownStatusOf } from '../../../src/api/job-state.ts';
import { formatBytes, formatClock, formatDate } from '../../../src/format/format.ts';
import { FailureNotice, Skeleton } from '../../../src/parts/notices.tsx';
import { Pager } from '../../../src/parts/pager.tsx';
import { Panel } from '../../../src/parts/panel.tsx';
import { StatusBadge } from '../../../src/parts/status-badge.tsx';
import { announce } from '../../../src/state/announce.ts';
import { useQuery } from '../../../src/state/query.ts';
import { ActDialog } from '../../act-dialog.tsx';
import { type AccountJob, api } from '../../api.ts';

interface JobsPanelProps {
  readonly accountId: string;
  readonly onActed: () => void;
}

export function JobsPanel({ accountId, onActed }: JobsPanelProps) {
  const [page, setPage] = useState(1);
  const { data, failure, reload } = useQuery(`jobs ${accountId} ${page}`, () =>
    api.jobs.ofAccount.query({ accountId, page }),
  );
  const done = () => {
    reload();
    onActed();
  };
  return (
    <Panel title="Jobs">
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={3} />
      ) : data.data.length === 0 ? (
        <p class="panel-empty">No job yet.</p>
      ) : (
        <ul class="rows">
          {data.data.map((job) => (
            <JobRow key={job.id} job={job} accountId={accountId} onCanceled={done} />
          ))}
        </ul>
      )}
      {data !== undefined && <Pager pagination={data.pagination} noun="job" onTurn={setPage} />}
    </Panel>
  );
}

interface JobRowProps {
  readonly job: AccountJob;
  readonly accountId: string;
  readonly onCanceled: () => void;
}

export function JobRow({ job, accountId, onCanceled }: JobRowProps) {
  const { id, status, error, createdAt, endedAt, sourceFileName } = job;
  const [isAsking, setAsking] = useState(false);
  const cancel = async (reason: string) => {
    await api.jobs.cancel.mutate({ accountId, jobId: id, reason });
    setAsking(false);
    announce('The job is canceled.');
    onCanceled();
  };
  const state = status ?? 'queued';
  return (
    <li class="rows-row">
      <div class="rows-what">
        <strong>{sourceFileName ?? 'Source not read yet'}</strong>
        <span class="row-sub">
          <code>{id}</code>
          {sourceOf(job)} · created {formatDate(createdAt)}
          {endedAt !== null && `, ended ${formatDate(endedAt)}`}
        </span>
        {error !== null && (
          <span class="row-sub">
            {error.message} <code class="code-tag">{error.code}</code>
          </span>
        )}
      </div>
      <StatusBadge status={shownStatusOf({ status: state, ...(error === null ? {} : { error }) })} />
      {(state === 'queued' || state === 'processing') && (
        <button
          type="button"
          class="button button-danger-quiet"
          aria-label={`Cancel ${id}`}
          onClick={() => setAsking(true)}
        >
          Cancel
        </button>
      )}
      {isAsking && (
        <ActDialog
          title="Cancel the job?"
          action="Cancel the job"
          isDangerous
          onAct={cancel}
          onClose={() => setAsking(false)}
        >
          <p>
            It ends at once as <code class="code-tag">CANCELED</code>, and its account is notified. It costs
            no minutes.
          </p>
        </ActDialog>
      )}
    </li>
  );
}

function sourceOf({ sourceDurationMs, sourceSizeBytes }: AccountJob): string {
  const parts = [
    sourceDurationMs === null ? '' : formatClock(sourceDurationMs / 1_000),
    sourceSizeBytes === null ? '' : formatBytes(sourceSizeBytes),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` · ${parts.join(', ')}`;
}
