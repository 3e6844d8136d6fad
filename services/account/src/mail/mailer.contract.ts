/** Runs against each mailer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Mail, Mailer, Sender } from './mailer.ts';
import { MailRefusedError } from './mailer.ts';
import { headerOf, readMail } from './received-mail.fixture.ts';

export interface MailerUnderTest extends AsyncDisposable {
  readonly mailer: Mailer;
  /** The complete messages sent, oldest first. */
  received(): Promise<readonly string[]>;
}

export const FROM: Sender = { name: 'audiosplit, the service', address: 'no-reply@audiosplit.example' };

export function aMail(changes: Partial<Mail> = {}): Mail {
  return {
    id: 'mail_1',
    to: 'ada@example.com',
    subject: 'Your export',
    text: 'It is ready.\n',
    html: null,
    writtenAt: new Date('2026-03-14T09:26:53Z'),
    ...changes,
  };
}

export function testMailer(name: string, open: () => Promise<MailerUnderTest>): void {
  const sendOne = async (mail: Mail) => {
    await using opened = await open();
    await opened.mailer.send(mail);
    const received = await opened.received();
    assert.equal(received.length, 1);
    return readMail(received[0] ?? '');
  };

  describe(`mail by ${name}`, () => {
    it('arrives unchanged, with the headers that mail programs need', async () => {
      const mail = await sendOne(aMail());
      assert.equal(headerOf(mail, 'from'), '"audiosplit, the service" <no-reply@audiosplit.example>');
      assert.equal(headerOf(mail, 'to'), 'ada@example.com');
      assert.equal(headerOf(mail, 'subject'), 'Your export');
      assert.equal(Date.parse(headerOf(mail, 'date')), Date.UTC(2026, 2, 14, 9, 26, 53));
      assert.equal(headerOf(mail, 'message-id'), '<mail_1@audiosplit.example>');
      assert.equal(headerOf(mail, 'auto-submitted'), 'auto-generated');
      assert.match(headerOf(mail, 'content-type'), /^text\/plain; charset=utf-8/);
      assert.equal(mail.text, 'It is ready.');
    });

    it('keeps characters beyond ASCII, long lines and lines with a single dot', async () => {
      const text = `Grüße, 日本語 🎧\n.\nFrom here on: ${'long '.repeat(400)}end\n\n..\nBye`;
      const mail = await sendOne(aMail({ subject: 'Größe geändert: 日本語 🎧', text }));
      assert.equal(headerOf(mail, 'subject'), 'Größe geändert: 日本語 🎧');
      assert.equal(mail.text, text);
    });

    it('keeps its Message-ID when sent again', async () => {
      await using opened = await open();
      await opened.mailer.send(aMail());
      await opened.mailer.send(aMail());
      const ids = (await opened.received()).map((raw) => headerOf(readMail(raw), 'message-id'));
      assert.deepEqual(new Set(ids), new Set(['<mail_1@audiosplit.example>']));
    });

    for (const [what, changes] of [
      ['a second header in the subject', { subject: 'Hello\r\nBcc: eve@example.com' }],
      ['a bare line feed in the subject', { subject: 'Hello\nBcc: eve@example.com' }],
      ['a second recipient', { to: 'ada@example.com, eve@example.com' }],
      ['a second header in the recipient', { to: 'ada@example.com\r\nBcc: eve@example.com' }],
      ['a command in the recipient', { to: 'ada@example.com>\r\nRCPT TO:<eve@example.com' }],
      ['a recipient with a name', { to: 'Ada <ada@example.com>' }],
      ['no recipient', { to: '' }],
    ] as const) {
      it(`is rejected with ${what}, and nothing is sent`, async () => {
        await using opened = await open();
        await assert.rejects(opened.mailer.send(aMail(changes)), MailRefusedError);
        assert.deepEqual(await opened.received(), []);
      });
    }
  });
}
