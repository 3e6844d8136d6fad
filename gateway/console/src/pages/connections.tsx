/** Buckets of the account, where sources lie and segments are put. */
import { useState } from 'preact/hooks';
import { api, type Connection } from '../api/client.ts';
import type { CurlCall } from '../format/curl-command.ts';
import { Curl } from '../parts/curl.tsx';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { announce } from '../state/announce.ts';
import { useConnections } from '../state/connections.ts';
import { ConnectionCard } from './connections/connection-card.tsx';
import { NewConnectionDialog } from './connections/new-connection-dialog.tsx';

type Asking =
  | { readonly kind: 'new' }
  | { readonly kind: 'remove'; readonly connection: Connection }
  | undefined;

const PATH = '/api/v1/connections';

export function ConnectionsPage() {
  const { data: connections, failure, reload } = useConnections();
  const [asking, setAsking] = useState<Asking>();
  const [newId, setNewId] = useState<string>();
  const close = () => setAsking(undefined);
  const add = () => setAsking({ kind: 'new' });
  return (
    <Page
      title="Connections"
      heading="Connections to buckets"
      lead={
        <>
          A bucket at Amazon S3 or a compatible store, to read sources from and to store segments in.{' '}
          <a href="/docs/buckets">How it works</a>
        </>
      }
      actions={
        <button type="button" class="button button-primary" onClick={add}>
          <Icon name="plus" size={18} /> Connect a bucket
        </button>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {connections === undefined ? (
        failure === undefined && <Skeleton rows={3} />
      ) : connections.length === 0 ? (
        <Empty
          title="No connections yet"
          action={
            <button type="button" class="button button-primary" onClick={add}>
              Connect the first one
            </button>
          }
        >
          With one, a job takes <code class="code-tag">s3://name/key</code> for a source, and puts its
          segments into the bucket.
        </Empty>
      ) : (
        <ul class="keys">
          {connections.map((connection) => (
            <ConnectionCard
              key={connection.id}
              connection={connection}
              isNew={connection.id === newId}
              onRemove={() => setAsking({ kind: 'remove', connection })}
            />
          ))}
        </ul>
      )}
      <Curl calls={callsFor(connections)} />
      {asking?.kind === 'new' && (
        <NewConnectionDialog
          path={PATH}
          onClose={close}
          onMade={({ id, name }) => {
            close();
            setNewId(id);
            announce(`${name} is connected.`);
            reload();
          }}
        />
      )}
      {asking?.kind === 'remove' && (
        <Confirm
          title={`Delete the connection ${asking.connection.name}?`}
          action="Delete the connection"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.connections.remove.mutate({ connectionId: asking.connection.id });
            close();
            announce('The connection is deleted.');
            reload();
          }}
        >
          <p>The bucket's content stays. Jobs that name the connection are refused from now on.</p>
          <Curl
            calls={[{ method: 'DELETE', path: `${PATH}/${asking.connection.id}`, credential: 'token' }]}
          />
        </Confirm>
      )}
    </Page>
  );
}

/** All are listed; the first is tried. */
function callsFor(connections: readonly Connection[] = []): CurlCall[] {
  const [first] = connections;
  const list: CurlCall = { path: PATH, credential: 'token' };
  if (first === undefined) return [list];
  return [list, { method: 'POST', path: `${PATH}/${first.id}/test`, credential: 'token', body: {} }];
}
