/** Jobs of adversaries: posted, followed for the report, and cancelled at the end. */
import { AudiosplitError, type Body } from '@audiosplit/client';
import type { Account } from '../../harness/accounts/open-account.ts';
import { createTally } from './repetition.ts';

type Request = Body<'createSplit'>;

export function createJobs() {
  const posted: { readonly account: Account; readonly id: string }[] = [];
  const answers = createTally();
  const ends = createTally();
  return {
    /** Resolves with whether it was taken. */
    async post(account: Account, request: Request): Promise<boolean> {
      try {
        const { id } = await account.client.createSplit(request);
        posted.push({ account, id });
        answers.add('accepted');
        return true;
      } catch (error) {
        answers.add(error instanceof AudiosplitError ? error.code : 'unanswered');
        return false;
      }
    },
    got: () => String(answers),
    /** Cancels what has not ended; resolves with how the others have ended. */
    async end(): Promise<string> {
      for (const { account, id } of posted) {
        const job = await account.client.getSplit(id).catch(() => undefined);
        if (job === undefined) continue;
        if (job.status === 'failed') ends.add(job.error.code);
        else if (job.status === 'completed') ends.add('completed');
        else await account.client.cancelSplit(id).catch(() => undefined);
      }
      return String(ends);
    },
  };
}

/** Ten seconds a segment, into the format of the source unless `more` says another. */
export function splitRequest(
  sourceUrl: string,
  more: Pick<Request, 'outputFormat' | 'webhookUrl'> = {},
): Request {
  return { sourceUrl, splitMode: 'duration', segmentDuration: 10, ...more };
}
