import { useState } from 'preact/hooks';
import { formatDate } from '../../src/format/format.ts';
import { Dialog } from '../../src/parts/dialogs/dialog.tsx';
import { Page } from '../../src/parts/frame/page.tsx';
import { Empty, Skeleton } from '../../src/parts/notices.tsx';
import { Table } from '../../src/parts/table.tsx';
import { useQuery } from '../../src/state/query.ts';
import { api, type Mail } from '../api.ts';
import { FirstFailure, LiveLead } from '../parts.tsx';

const LOOK_AGAIN_MS = 3_000;

export function MailsPage() {
  const query = useQuery('mails', () => api.mails.list.query(), { againAfterMs: () => LOOK_AGAIN_MS });
  const { data, failure } = query;
  const [open, setOpen] = useState<Mail>();
  return (
    <Page
      title="Mails"
      lead={
        <LiveLead of={query}>
          There is no mail server, so mails stay in a folder. The newest 50 are here: their links work.
        </LiveLead>
      }
    >
      <FirstFailure of={query} />
      {data === undefined ? (
        failure === undefined && <Skeleton rows={4} />
      ) : data.length === 0 ? (
        <Empty title="No mail yet">Register an account, or ask for a new password.</Empty>
      ) : (
        <Table columns={['Mail', 'To', 'Written']}>
          {data.map((mail) => (
            <tr key={mail.id}>
              <th scope="row">
                <button type="button" class="button button-quiet" onClick={() => setOpen(mail)}>
                  {mail.subject}
                </button>
              </th>
              <td class="id">{mail.to}</td>
              <td>{formatDate(mail.writtenAt)}</td>
            </tr>
          ))}
        </Table>
      )}
      {open !== undefined && <MailDialog mail={open} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

function MailDialog({ mail, onClose }: { readonly mail: Mail; readonly onClose: () => void }) {
  return (
    <Dialog title={mail.subject} onClose={onClose}>
      <div class="dialog-body">
        {mail.text.split('\n\n').map((paragraph, position) => (
          // Paragraphs do not change.
          <p key={position} class="mail-paragraph">
            {paragraph.split(/(https?:\/\/\S+)/).map((part, at) =>
              at % 2 === 0 ? (
                part
              ) : (
                <a key={part} href={part} target="_blank" rel="noreferrer">
                  {part}
                </a>
              ),
            )}
          </p>
        ))}
      </div>
    </Dialog>
  );
}
