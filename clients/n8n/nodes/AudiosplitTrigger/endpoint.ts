/** The one endpoint of the account, which gets the events of all its jobs. */
import { type IDataObject, type IHookFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { asNodeError, callApi } from '../../api/call.ts';

interface Endpoint {
  readonly url: string;
  readonly events?: readonly string[];
}

const path = '/webhooks/endpoint';
const credential = 'audiosplitAccountApi';

async function readEndpoint(context: IHookFunctions): Promise<Endpoint | undefined> {
  try {
    return (await callApi(context, { credential, method: 'GET', path })) as unknown as Endpoint;
  } catch (error) {
    if (error instanceof NodeApiError && error.httpCode === '404') return undefined;
    throw asNodeError(context, error);
  }
}

const wanted = (context: IHookFunctions) => ({
  url: context.getNodeWebhookUrl('default') ?? '',
  events: context.getNodeParameter('events') as string[],
});

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
  const { url, events } = wanted(context);
  const endpoint = await readEndpoint(context);
  const listed = endpoint?.events ?? [];
  return (
    endpoint?.url === url && listed.length === events.length && events.every((each) => listed.includes(each))
  );
}

/** Another endpoint is not replaced: its receiver would miss events without any notice. */
export async function register(context: IHookFunctions): Promise<void> {
  const { url, events } = wanted(context);
  const endpoint = await readEndpoint(context);
  if (endpoint !== undefined && endpoint.url !== url) {
    const description =
      `It belongs to ${new URL(endpoint.url).host}. An account has one endpoint: remove that one first, ` +
      'deactivate the workflow that uses it, or take another account.';
    throw new NodeOperationError(context.getNode(), 'The account has an endpoint already', { description });
  }
  const body: IDataObject = { url, events };
  await callApi(context, { credential, method: 'PUT', path, body });
}

/** An endpoint of others is kept. */
export async function unregister(context: IHookFunctions): Promise<void> {
  const endpoint = await readEndpoint(context);
  if (endpoint?.url !== wanted(context).url) return;
  await callApi(context, { credential, method: 'DELETE', path });
}
