/** Accepts only notifications that are signed with the account's secret. */
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { callApi } from '../../api/call.ts';
import { isGenuine } from '../../api/signature.ts';

interface Known {
  readonly secret: string;
  readonly readAtMs: number;
}

/** A secret that was replaced is read again, but not at every forged notification. */
const MIN_AGE_MS = 60_000;
/** In memory alone. By credential. */
const secrets = new Map<string, Known>();

export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const { rawBody } = context.getRequestObject();
  const signed = { headers: context.getHeaderData() as IDataObject, body: rawBody, nowMs: Date.now() };
  if (!(await isSigned(context, signed))) {
    context.getResponseObject().status(401).json({ error: 'The signature is wrong' });
    return { noWebhookResponse: true };
  }
  const event = context.getBodyData();
  const events = context.getNodeParameter('events') as string[];
  if (!events.includes(String(event.type))) return {};
  return { workflowData: [[{ json: event }]] };
}

async function isSigned(
  context: IWebhookFunctions,
  signed: Parameters<typeof isGenuine>[1],
): Promise<boolean> {
  const { baseUrl, email } = await context.getCredentials('audiosplitAccountApi');
  const name = JSON.stringify([baseUrl, email]);
  const known = secrets.get(name);
  if (known !== undefined && isGenuine(known.secret, signed)) return true;
  if (known !== undefined && signed.nowMs - known.readAtMs < MIN_AGE_MS) return false;
  const answer = await callApi(context, {
    credential: 'audiosplitAccountApi',
    method: 'GET',
    path: '/webhooks/secret',
  });
  const secret = String(answer.secret);
  secrets.set(name, { secret, readAtMs: signed.nowMs });
  return isGenuine(secret, signed);
}
