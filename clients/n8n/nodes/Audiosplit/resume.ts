/** Handles a notification at the resume URL of a sleeping execution. */
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { completed, isEnded, readJob, segmentItems } from '../../api/job.ts';

/** The notification only says when to check: the data is read from the API, with the execution's own key. */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const event = context.getBodyData() as { readonly data?: IDataObject };
  const id = String(context.evaluateExpression('{{ $json.id }}', 0) ?? '');
  if (id === '' || event.data?.id !== id) return {};
  const job = await readJob(context, id);
  // Without data the execution sleeps on.
  if (!isEnded(job)) return {};
  return { workflowData: [segmentItems(completed(context, job))] };
}
