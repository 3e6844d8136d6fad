import { type Audiosplit, AudiosplitError } from '@audiosplit/client';

/** Undefined if the API returns no such job. */
export async function findJob(client: Audiosplit, id: string) {
  return await client.getSplit(id).catch((error: unknown) => {
    if (error instanceof AudiosplitError && error.status === 404) return undefined;
    throw error;
  });
}
