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

/** Writes each message as `<time>-<id>.eml`, which mail programs open. A file with that name is complete. */
export function createFolderMailer({ directory, from }: FolderOptions): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const { message } = await composer.sendMail(composeMail(mail, from));
      await mkdir(directory, { recursive: true });
      const time = mail.writtenAt.toISOString().replace(/[-:]|\.\d+/g, '');
      const path = join(directory, `${time}-${mail.id}.eml`);
      await writeFile(`${path}.partial`, message);
      await rename(`${path}.partial`, path);
    },
    async [Symbol.asyncDispose]() {
      composer.close();
    },
  };
}
