/** How the account signs in. */
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { Page } from '../parts/frame/page.tsx';
import { Link } from '../parts/link.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { useQuery } from '../state/query.ts';
import { EmailPanel } from './security/email-panel.tsx';
import { PasswordPanel } from './security/password-panel.tsx';
import { SecondFactorPanel } from './security/second-factor-panel.tsx';
import { SessionsPanel } from './security/sessions-panel.tsx';

export function SecurityPage() {
  const [version, setVersion] = useState(0);
  const { data, failure, reload } = useQuery('security', () => api.security.get.query(), { version });
  const changed = () => setVersion((each) => each + 1);
  return (
    <Page
      title="Security"
      heading="Password, address and sessions"
      lead={
        <>
          How you sign in. Your profile and your data are on the page of the{' '}
          <Link to="/account">account</Link>.
        </>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={3} />
      ) : (
        <>
          <PasswordPanel email={data.email} onChanged={changed} />
          <SecondFactorPanel security={data} onChanged={changed} />
          <EmailPanel security={data} onChanged={changed} />
        </>
      )}
      <SessionsPanel version={version} />
    </Page>
  );
}
