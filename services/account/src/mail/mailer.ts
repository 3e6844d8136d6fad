/**
 * The mail port: plain-text messages to one recipient each.
 *
 * Adapters: `smtp.ts` and `folder.ts`; `mailer.contract.ts` holds both to the same promises.
 */
export interface Mailer extends AsyncDisposable {
  /**
   * Resolves once the message is in other hands. Sending the same message again is harmless: its Message-ID stays.
   * Throws MailRefusedError where a repeat cannot succeed, anything else where it may.
   */
  send(mail: Mail): Promise<void>;
}

export interface Mail {
  /** Becomes its Message-ID. */
  readonly id: string;
  /** An address, without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly writtenAt: Date;
}

export interface Sender {
  /** Empty for none. */
  readonly name: string;
  readonly address: string;
}

export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}
