import { useState } from 'preact/hooks';
import { api, type DataExport, type Failure, failureOf } from '../../api/client.ts';
import { ownAddress } from '../../api/own-address.ts';
import { formatBytes, formatDate } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Icon } from '../../parts/icons.tsx';
import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { announce } from '../../state/announce.ts';
import { useQuery } from '../../state/query.ts';

const FORMATS = ['json', 'csv'] as const;
const PAGE_SIZE = 10;
const LOOK_AGAIN_MS = 1_500;

export function Exports() {
  const [page, setPage] = useState(1);
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('json');
  const [refusal, setRefusal] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const query = { page, limit: PAGE_SIZE };
  const { data, failure, reload } = useQuery(`exports ${page}`, () => api.account.exports.query(query), {
    againAfterMs: ({ data }) => (data.some(isInProgress) ? LOOK_AGAIN_MS : undefined),
  });
  const start = async () => {
    if (isRunning) return;
    setRunning(true);
    setRefusal(undefined);
    try {
      await api.account.createExport.mutate({ format });
      announce('Your data is being gathered.');
      setPage(1);
      reload();
    } catch (error) {
      setRefusal(failureOf(error));
    }
    setRunning(false);
  };
  return (
    <Panel
      title="Your data"
      lead="One file with the account, keys without their secrets, jobs, usage, invoices and deliveries. One a day."
      actions={
        <>
          <div class="switch" role="radiogroup" aria-label="Format of the export">
            {FORMATS.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="format"
                  checked={format === each}
                  onChange={() => setFormat(each)}
                />
                <span>{each.toUpperCase()}</span>
              </label>
            ))}
          </div>
          <button type="button" class="button button-primary" aria-disabled={isRunning} onClick={start}>
            Export my data
          </button>
        </>
      }
    >
      {refusal !== undefined && <FailureNotice failure={refusal} />}
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={1} />
      ) : data.data.length === 0 ? (
        <p class="panel-empty">No export yet. One is ready within minutes, and kept for a week.</p>
      ) : (
        <ul class="rows">
          {data.data.map((each) => (
            <ExportRow key={each.exportId} dataExport={each} />
          ))}
        </ul>
      )}
      {data !== undefined && <Pager pagination={data.pagination} noun="export" onTurn={setPage} />}
      <Curl
        calls={[
          { method: 'POST', path: '/api/v1/account/export', credential: 'token', body: { format } },
          { path: '/api/v1/account/exports', credential: 'token' },
        ]}
      />
    </Panel>
  );
}

function ExportRow({ dataExport }: { readonly dataExport: DataExport }) {
  const { status, format, createdAt, downloadUrl, sizeBytes, sha256 } = dataExport;
  return (
    <li class="rows-row">
      <div class="rows-what">
        <strong>
          {format.toUpperCase()} of {formatDate(createdAt)}
        </strong>
        <span class="row-sub">
          {noteOn(dataExport)}
          {sizeBytes !== undefined && ` · ${formatBytes(sizeBytes)}`}
          {sha256 !== undefined && <span title={`SHA-256 ${sha256}`}> · SHA-256 {sha256.slice(0, 12)}…</span>}
        </span>
      </div>
      <StatusBadge status={status} />
      {downloadUrl !== undefined && (
        <a
          class="button"
          href={ownAddress(downloadUrl)}
          download
          aria-label={`Download the export of ${formatDate(createdAt)}`}
        >
          <Icon name="download" size={16} /> Download
        </a>
      )}
    </li>
  );
}

function noteOn({ status, estimatedCompletionAt, expiresAt }: DataExport): string {
  switch (status) {
    case 'processing':
      return `Ready by ${formatDate(estimatedCompletionAt)} at the latest, mostly much sooner`;
    case 'completed':
      return expiresAt === undefined ? 'Ready' : `Kept until ${formatDate(expiresAt)}`;
    case 'failed':
      return 'It could not be made; try again tomorrow';
    case 'expired':
      return 'Its file has been removed';
    default:
      return status satisfies never;
  }
}

function isInProgress({ status }: DataExport): boolean {
  return status === 'processing';
}
