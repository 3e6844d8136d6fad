import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { explainFailure } from '../provision/explain-failure.ts';

/** What the engines' tools say of a failure is meant for people as it stands. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StartError(explainFailure(error).trimEnd());
  }
}
