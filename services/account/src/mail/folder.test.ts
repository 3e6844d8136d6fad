import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createFolderMailer } from './folder.ts';
import { aMail, FROM, type MailerUnderTest, testMailer } from './mailer.contract.ts';

async function open(): Promise<MailerUnderTest & { readonly directory: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-mail-'));
  const directory = join(folder, 'made/by/the/mailer');
  const mailer = createFolderMailer({ directory, from: FROM });
  return {
    directory,
    mailer,
    async received() {
      const names = await readdir(directory).catch(() => []);
      const messages = names.filter((name) => name.endsWith('.eml')).sort();
      return Promise.all(messages.map((name) => readFile(join(directory, name), 'utf8')));
    },
    async [Symbol.asyncDispose]() {
      await mailer[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

testMailer('folder', open);

// Covers D-6.15
it('names files by time and message, so that a message sent twice is stored once', async () => {
  await using opened = await open();
  await opened.mailer.send(aMail());
  await opened.mailer.send(aMail());
  const names = (await readdir(opened.directory)).sort();
  assert.deepEqual(names, ['20260314T092653Z-mail_1.eml', '20260314T092653Z-mail_1.json']);
  const { id, to, subject, text, writtenAt } = aMail();
  const said: unknown = JSON.parse(await readFile(join(opened.directory, names[1] ?? ''), 'utf8'));
  assert.deepEqual(said, { id, to, subject, text, writtenAt: writtenAt.toISOString() });
});

it('fails if the folder is not writable', async () => {
  await using mailer = createFolderMailer({ directory: '/dev/null/mail', from: FROM });
  await assert.rejects(mailer.send(aMail()), { code: 'ENOTDIR' });
});
