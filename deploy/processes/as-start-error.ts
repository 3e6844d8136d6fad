import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { explainFailure } from '../provision/explain-failure.ts';

/** Rejects with a StartError: the engines' tools write their messages for people. */
export async function asStartError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StartError(explainFailure(error).trimEnd());
  }
}
