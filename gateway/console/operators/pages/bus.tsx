import { Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatAgo, formatDate, plural } from '../../src/format/format.ts';
import { Page } from '../../src/parts/frame/page.tsx';
import { Icon } from '../../src/parts/icons.tsx';
import { Empty, FailureNotice, Skeleton } from '../../src/parts/notices.tsx';
import { Table } from '../../src/parts/table.tsx';
import { announce } from '../../src/state/announce.ts';
import { useQuery } from '../../src/state/query.ts';
import { ActDialog } from '../act-dialog.tsx';
import { api, type BusQueue, type Letter } from '../api.ts';
import { FirstFailure, LiveLead } from '../parts.tsx';

const COLUMNS = ['Group and topic', 'Not handled yet', 'Dead letters'];
const LOOK_AGAIN_MS = 5_000;
/** The listener's limit for one replay. */
const MAX_REPLAYED = 100;

export function BusPage() {
  const query = useQuery('bus', () => api.bus.queues.query(), {
    againAfterMs: () => LOOK_AGAIN_MS,
  });
  const { data, failure, reload } = query;
  return (
    <Page
      title="Dead letters"
      lead={
        <LiveLead of={query}>
          Messages that a group of consumers has given up. Mend the cause first, then give one back, then the
          others.
        </LiveLead>
      }
    >
      <FirstFailure of={query} />
      {data === undefined ? (
        failure === undefined && <Skeleton rows={6} />
      ) : data.length === 0 ? (
        <Empty title="No consumers yet">Groups show up here once they have subscribed.</Empty>
      ) : (
        <QueueTable queues={data} onReplayed={reload} />
      )}
    </Page>
  );
}

interface QueueTableProps {
  readonly queues: readonly BusQueue[];
  readonly onReplayed: () => void;
}

/** Opens a queue's dead letters below its row. */
function QueueTable({ queues, onReplayed }: QueueTableProps) {
  const [chosen, setChosen] = useState<string>();
  return (
    <Table columns={COLUMNS} hasActions>
      {queues.map((queue) => {
        const place = placeOf(queue);
        const isOpen = place === chosen;
        return (
          <Fragment key={place}>
            <tr>
              <th scope="row">
                <strong>{queue.group}</strong>
                <span class="row-sub">{queue.topic}</span>
              </th>
              <td class="number" data-label="Not handled yet">
                {queue.behind.toLocaleString('en')}
              </td>
              <td class="number" data-label="Dead letters">
                {queue.letters > 0 ? (
                  <strong class="is-bad">{queue.letters.toLocaleString('en')}</strong>
                ) : (
                  '0'
                )}
              </td>
              <td class="row-actions">
                {(queue.letters > 0 || isOpen) && (
                  <button
                    type="button"
                    class="button"
                    aria-expanded={isOpen}
                    aria-label={`${isOpen ? 'Close' : 'Look'}: ${queue.group}, ${queue.topic}`}
                    onClick={() => setChosen(isOpen ? undefined : place)}
                  >
                    {isOpen ? 'Close' : 'Look'}
                  </button>
                )}
              </td>
            </tr>
            {isOpen && (
              <tr class="table-detail">
                <td colSpan={COLUMNS.length + 1}>
                  <Letters queue={queue} onReplayed={onReplayed} />
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </Table>
  );
}

function Letters({ queue, onReplayed }: { readonly queue: BusQueue; readonly onReplayed: () => void }) {
  const { group, topic } = queue;
  // Reloaded when the number changes: reading letters costs the bus more than counting them.
  const { data, failure, reload } = useQuery(`letters ${placeOf(queue)} ${queue.letters}`, () =>
    api.bus.letters.query({ group, topic }),
  );
  const [count, setCount] = useState<number>();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const most = Math.min(queue.letters, MAX_REPLAYED);
  const replay = async (reason: string) => {
    const { replayed } = await api.bus.replay.mutate({ group, topic, count: count ?? 1, reason });
    setCount(undefined);
    announce(`${plural(replayed, 'message')} given back to ${group}.`);
    onReplayed();
  };
  return (
    <section aria-labelledby="letters-title">
      <div class="section-head">
        <h2 ref={heading} id="letters-title" tabIndex={-1}>
          {group}: {plural(queue.letters, 'dead letter')}
          {data !== undefined && data.length < queue.letters && `, the oldest ${data.length}`}
        </h2>
        {queue.letters > 0 && (
          <div class="row">
            <button type="button" class="button" onClick={() => setCount(1)}>
              <Icon name="retry" size={16} /> Replay the oldest
            </button>
            {most > 1 && (
              <button type="button" class="button" onClick={() => setCount(most)}>
                <Icon name="retry" size={16} /> Replay {most === queue.letters ? 'all' : 'the oldest'} {most}
              </button>
            )}
          </div>
        )}
      </div>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? failure === undefined && <Skeleton rows={2} /> : <LetterList letters={data} />}
      {count !== undefined && (
        <ActDialog
          title={`Replay ${plural(count, 'message')}`}
          action="Replay"
          onAct={replay}
          onClose={() => setCount(undefined)}
        >
          <p>
            {count === 1 ? 'The oldest is' : 'They are'} given back to <strong>{group}</strong>, and to no
            other group. What fails again comes back here.
          </p>
        </ActDialog>
      )}
    </section>
  );
}

function LetterList({ letters }: { readonly letters: readonly Letter[] }) {
  const nowMs = Date.now();
  if (letters.length === 0) return <p class="quiet-line">None is left.</p>;
  return (
    <ul class="letters">
      {letters.map((letter) => (
        <li key={letter.position} class="card letter">
          <div class="letter-head">
            <strong>{letter.name}</strong>
            <span class="hint">
              <time dateTime={letter.failedAt} title={formatDate(letter.failedAt)}>
                {formatAgo(letter.failedAt, nowMs)}
              </time>
              , {letter.deliveries === 1 ? 'after one try' : `after ${letter.deliveries} tries`}, key{' '}
              <code>{letter.key}</code>
            </span>
          </div>
          <p class="letter-error">{letter.error}</p>
          <details>
            <summary>What it holds</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
            <section class="letter-json" tabIndex={0} aria-label={`Content of ${letter.name}`}>
              <pre>{letter.json}</pre>
            </section>
          </details>
        </li>
      ))}
    </ul>
  );
}

function placeOf({ group, topic }: BusQueue): string {
  return `${group} ${topic}`;
}
