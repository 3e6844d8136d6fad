import { MailAgain } from './mail-again.tsx';

/** On every page, as long as jobs are refused. */
export function VerifyNotice({ email }: { readonly email: string | undefined }) {
  return (
    <div class="page-notice" role="status">
      <p>
        <strong>Verify your address to split files.</strong> Open the link that we have mailed to {email}.
      </p>
      <MailAgain />
    </div>
  );
}
