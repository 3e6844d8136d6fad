/**
 * Mail to account holders. This is the port: messages to one recipient each, as text and as HTML.
 *
 * Adapters: `smtp.ts` and `folder.ts`. `mailer.contract.ts` tests both.
 */
export interface Mailer extends AsyncDisposable {
  /**
   * Resolves once the message is handed over. A repeat has the same Message-ID. Throws MailRefusedError if a retry
   * cannot succeed, any other error if it may.
   */
  send(mail: Mail): Promise<void>;
}

export interface Mail {
  /** Used as Message-ID. */
  readonly id: string;
  /** An address without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** The same for mail programs that show HTML. Null: none. */
  readonly html: string | null;
  readonly writtenAt: Date;
}

export interface Sender {
  /** Empty: no name. */
  readonly name: string;
  readonly address: string;
}

export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}
