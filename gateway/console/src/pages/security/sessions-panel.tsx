import { useState } from 'preact/hooks';
import { api, type Failure, failureOf, type SignedInSession } from '../../api/client.ts';
import { formatAgo, formatDate } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../state/announce.ts';
import { useQuery } from '../../state/query.ts';
import { programOf } from './session-words.ts';

export function SessionsPanel({ version }: { readonly version: number }) {
  const { data, failure, reload } = useQuery('sessions', () => api.security.sessions.query(), { version });
  const [refusal, setRefusal] = useState<Failure>();
  const end = async (work: () => Promise<unknown>, words: string) => {
    setRefusal(undefined);
    try {
      await work();
      announce(words);
    } catch (error) {
      setRefusal(failureOf(error));
    }
    reload();
  };
  const sessions = data?.data ?? [];
  return (
    <Panel
      title="Where you are signed in"
      lead="End sessions that you do not recognise, then change your password."
      actions={
        sessions.length > 1 && (
          <button
            type="button"
            class="button button-danger-quiet"
            onClick={() =>
              end(() => api.security.endOtherSessions.mutate(), 'You are signed out everywhere else.')
            }
          >
            Sign out everywhere else
          </button>
        )
      }
    >
      {refusal !== undefined && <FailureNotice failure={refusal} />}
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined && failure === undefined && <Skeleton rows={2} />}
      <ul class="rows">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            onEnd={() =>
              end(
                () => api.security.endSession.mutate({ sessionId: session.id }),
                `${programOf(session.userAgent)} is signed out.`,
              )
            }
          />
        ))}
      </ul>
      <Curl
        calls={[
          { path: '/api/v1/account/sessions', credential: 'token' },
          { method: 'DELETE', path: '/api/v1/account/sessions', credential: 'token' },
        ]}
      />
    </Panel>
  );
}

function SessionRow({ session, onEnd }: { readonly session: SignedInSession; readonly onEnd: () => void }) {
  const { createdAt, lastUsedAt, address, userAgent, current } = session;
  const program = programOf(userAgent);
  return (
    <li class="rows-row">
      <div class="rows-what">
        <strong title={userAgent ?? undefined}>{program}</strong>
        <span class="row-sub">
          {current ? 'This one' : `Used ${formatAgo(lastUsedAt, Date.now())}`}
          {address !== null && ` · ${address}`} · since {formatDate(createdAt)}
        </span>
      </div>
      {!current && (
        <button
          type="button"
          class="button"
          aria-label={`Sign out ${program}, signed in ${formatDate(createdAt)}`}
          onClick={onEnd}
        >
          Sign out
        </button>
      )}
    </li>
  );
}
