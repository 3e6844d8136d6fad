/**
 * Mails of an installation on one machine without a mail server: the account service writes them to a folder.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { procedure, router } from './trpc.ts';

export interface WrittenMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly writtenAt: string;
}

const MAX_SHOWN = 50;

export const mailsRouter = router({
  /** Newest first, at most 50. */
  list: procedure.query(({ ctx }) => (ctx.mailDir === undefined ? [] : readMails(ctx.mailDir))),
});

/** File names begin with the time of the mail. */
export async function readMails(directory: string): Promise<readonly WrittenMail[]> {
  const names = await readdir(directory).catch((error) => {
    // The first mail creates the folder.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const newest = names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
    .slice(0, MAX_SHOWN);
  return Promise.all(
    newest.map(
      async (name): Promise<WrittenMail> => JSON.parse(await readFile(join(directory, name), 'utf8')),
    ),
  );
}
