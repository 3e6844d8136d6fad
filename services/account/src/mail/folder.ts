import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { composeMail } from './compose.ts';
import type { Mailer, Sender } from './mailer.ts';

export interface FolderOptions {
  /** An absolute path. Created if missing. */
  readonly directory: string;
  readonly from: Sender;
}

/**
 * Writes each message as `<time>-<id>.eml`, which mail programs open, and its content as `.json`, which the
 * operators' console of an installation on one machine shows. A file with such a name is complete.
 */
export function createFolderMailer({ directory, from }: FolderOptions): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const { message } = await composer.sendMail(composeMail(mail, from));
      await mkdir(directory, { recursive: true });
      const time = mail.writtenAt.toISOString().replace(/[-:]|\.\d+/g, '');
      const write = async (ending: string, content: Parameters<typeof writeFile>[1]) => {
        const path = join(directory, `${time}-${mail.id}${ending}`);
        await writeFile(`${path}.partial`, content);
        await rename(`${path}.partial`, path);
      };
      const { id, to, subject, text, writtenAt } = mail;
      await write('.json', JSON.stringify({ id, to, subject, text, writtenAt }));
      await write('.eml', message);
    },
    async [Symbol.asyncDispose]() {
      composer.close();
    },
  };
}
