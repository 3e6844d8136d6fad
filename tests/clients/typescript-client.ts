import { AudiosplitError, createAudiosplit, JobFailedError } from '@audiosplit/client';
import type { Client, Journey, Outcome } from './case.ts';

export const typescriptClient: Client = (journeys) => Promise.all(journeys.map(make));

async function make(journey: Journey): Promise<Outcome> {
  try {
    return await run(journey);
  } catch (error) {
    const hasCode = error instanceof AudiosplitError || error instanceof JobFailedError;
    return hasCode ? { error: error.code } : { refused: true };
  }
}

async function run({ run: { get, wait, cancel, download }, url, key }: Journey): Promise<Outcome> {
  const client = createAudiosplit({ baseUrl: url, apiKey: key, retries: { baseDelayMs: 10 } });
  if (get !== undefined) return idAndStatus(await client.getSplit(get));
  if (wait !== undefined) return idAndStatus(await client.waitForJob(wait));
  if (cancel !== undefined) return { id: (await client.cancelSplit(cancel)).id };
  const files: Record<string, string> = {};
  for await (const segment of client.segments(download ?? '')) {
    const { bytes } = await client.openSegment(segment);
    files[segment.fileName] = Buffer.concat(await Array.fromAsync(bytes)).toString();
  }
  return { files };
}

function idAndStatus({ id, status }: { readonly id: string; readonly status: string }): Outcome {
  return { id, status };
}
