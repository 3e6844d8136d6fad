import { useState } from 'preact/hooks';
import { api, type Delivery, failureOf } from '../../api/client.ts';
import { formatAgo, formatDate, plural } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Icon } from '../../parts/icons.tsx';
import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { announce } from '../../state/announce.ts';
import { useQuery } from '../../state/query.ts';

const PAGE_SIZE = 20;
const LOOK_AGAIN_MS = 2_500;
/** New deliveries start with jobs, not on this page. */
const LOOK_FOR_NEW_MS = 10_000;

/** `version` grows when there is a new one. */
export function Deliveries({ version }: { readonly version: number }) {
  const [page, setPage] = useState(1);
  const query = { page, limit: PAGE_SIZE };
  const { data, failure, reload } = useQuery(
    `deliveries ${page}`,
    () => api.webhooks.deliveries.query(query),
    {
      version,
      againAfterMs: ({ data }) =>
        data.some(({ status }) => status === 'pending') ? LOOK_AGAIN_MS : LOOK_FOR_NEW_MS,
    },
  );
  return (
    <Panel title="Deliveries">
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={3} />
      ) : data.data.length === 0 ? (
        <p class="panel-empty">Nothing has been sent yet: no job or export has named an address.</p>
      ) : (
        <ul class="rows">
          {data.data.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} onReplayed={reload} />
          ))}
        </ul>
      )}
      {data !== undefined && (
        <Pager pagination={data.pagination} noun="delivery" nouns="deliveries" onTurn={setPage} />
      )}
      <Curl
        calls={[
          { path: `/api/v1/webhooks/deliveries?page=${page}&limit=${PAGE_SIZE}`, credential: 'token' },
          {
            method: 'POST',
            path: `/api/v1/webhooks/deliveries/${data?.data[0]?.id ?? 'dlv_…'}/replay`,
            credential: 'token',
          },
        ]}
      />
    </Panel>
  );
}

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly onReplayed: () => void;
}

function DeliveryRow({ delivery, onReplayed }: DeliveryRowProps) {
  const { id, type, url, status, attempts, nextAttemptAt, createdAt, body } = delivery;
  const [isRunning, setRunning] = useState(false);
  const replay = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      await api.webhooks.replay.mutate({ deliveryId: id });
      announce('It is sent again.');
      onReplayed();
    } catch (error) {
      announce(failureOf(error).message);
    }
    setRunning(false);
  };
  return (
    <li class="rows-row">
      <div class="rows-what">
        <strong>
          <code>{type}</code>
        </strong>
        <span class="row-sub">
          to {url} ·{' '}
          <time dateTime={createdAt} title={formatDate(createdAt)}>
            {formatAgo(createdAt, Date.now())}
          </time>
        </span>
        <details class="attempts">
          <summary>
            {plural(attempts.length, 'attempt')}
            {attempts.length > 0 && `, the last answered ${answerOf(attempts.at(-1))}`}
          </summary>
          <ol>
            {attempts.map((attempt) => (
              <li key={attempt.at}>
                <time dateTime={attempt.at}>{formatDate(attempt.at)}</time>
                <span>{attempt.error ?? 'taken'}</span>
                <span class="code-tag">{attempt.statusCode ?? '–'}</span>
              </li>
            ))}
            {nextAttemptAt !== null && (
              <li>
                <time dateTime={nextAttemptAt}>{formatDate(nextAttemptAt)}</time>
                <span>next attempt</span>
              </li>
            )}
          </ol>
        </details>
        {body !== null && (
          <details class="attempts">
            <summary>Payload</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
            <section class="payload" tabIndex={0} aria-label={`Payload of ${type}`}>
              <pre>{indented(body)}</pre>
            </section>
          </details>
        )}
      </div>
      <StatusBadge status={status} />
      <button
        type="button"
        class="button"
        aria-disabled={isRunning}
        aria-label={`Send again: ${type} of ${formatDate(createdAt)}`}
        onClick={replay}
      >
        <Icon name="retry" size={16} /> Send again
      </button>
    </li>
  );
}

function answerOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (attempt === undefined || attempt.statusCode === null) return 'nothing';
  return String(attempt.statusCode);
}

/** As it is sent it has no line breaks. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
