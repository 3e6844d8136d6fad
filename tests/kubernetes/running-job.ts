/**
 * A job of the second release that runs while something happens to it. Its gateways are reached through a
 * forwarded port.
 */
import { createAudiosplit } from '@audiosplit/client';
import { openAccount } from '../harness/accounts/open-account.ts';
import { EXTERNAL_NAMESPACE } from './external-release.ts';
import { type LoadContext, untilSeen } from './load.ts';
import type { ForwardPort } from './port-forward.ts';
import { RELEASE } from './release.ts';

interface JobContext extends LoadContext {
  readonly forward: ForwardPort;
  /** A source that arrives so slowly that the job fetches it during all of that time. */
  readonly lastingSource: string;
}

/**
 * Resolves with the result of `act`, which runs once a job is running; throws if that job does not complete
 * afterwards.
 */
export async function whileJobRuns<T>(context: JobContext, act: () => Promise<T>): Promise<T> {
  const { forward, lastingSource: sourceUrl } = context;
  const openGateway = () => forward(EXTERNAL_NAMESPACE, `service/${RELEASE}-gateway`, 80);
  /** A new port each time, because a port ends with its pod. */
  const statusOf = async (apiKey: string, id: string) => {
    await using gateway = await openGateway();
    return (await createAudiosplit({ baseUrl: gateway.url, apiKey }).getSplit(id)).status;
  };
  await using gateway = await openGateway();
  const { client, apiKey } = await openAccount(gateway.url);
  const { id } = await client.createSplit({
    sourceUrl,
    splitMode: 'duration',
    segmentDuration: 20,
  });
  const isOf = (status: string) => async () => (await statusOf(apiKey, id)) === status;
  await untilSeen(context, 'a job is running', isOf('processing'));
  const result = await act();
  await untilSeen(context, 'the job that was running is complete', isOf('completed'));
  return result;
}
