/** Creates a job for each item and waits for its end: by webhook where that can work, otherwise by polling. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { asNodeError } from '../../api/call.ts';
import { completed, createJob, type Job, pollJob, segmentItems, withFiles } from '../../api/job.ts';
import { splitRequest } from './split-request.ts';

const MS_PER_MINUTE = 60_000;

export async function executeItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const items = context.getInputData();
  const webhookUrl = resumeUrl(context, items.length);
  const jobs: (Job | undefined)[] = [];
  const output: INodeExecutionData[][] = items.map(() => []);

  /** If the node continues after errors, the item's output is its error. */
  const forItem = async (itemIndex: number, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!context.continueOnFail()) throw asNodeError(context, error, itemIndex);
      const { message } = error as Error;
      output[itemIndex] = [{ json: { error: message }, pairedItem: { item: itemIndex } }];
    }
  };

  // All jobs are created first, so that they run beside each other.
  for (const itemIndex of items.keys()) {
    await forItem(itemIndex, async () => {
      if (context.getNodeParameter('operation', itemIndex) === 'getSegments') {
        const id = context.getNodeParameter('jobId', itemIndex) as string;
        jobs[itemIndex] = { id, status: 'queued' };
        return;
      }
      const request = await splitRequest(context, itemIndex);
      const { job, isNotified } = await createJob(context, request, { webhookUrl, itemIndex });
      if (isNotified) await sleepUntilNotified(context, job);
      if (!isNotified && context.getNodeParameter('wait', itemIndex) !== 'none') jobs[itemIndex] = job;
      else output[itemIndex] = [{ json: job, pairedItem: { item: itemIndex } }];
    });
  }
  for (const [itemIndex, job] of jobs.entries()) {
    if (job === undefined) continue;
    await forItem(itemIndex, async () => {
      output[itemIndex] = await segmentsOf(context, job.id, itemIndex);
    });
  }
  return output.flat();
}

async function segmentsOf(
  context: IExecuteFunctions,
  id: string,
  itemIndex: number,
): Promise<INodeExecutionData[]> {
  const timeoutMinutes = context.getNodeParameter('timeoutMinutes', itemIndex) as number;
  const job = completed(context, await pollJob(context, id, { itemIndex, timeoutMinutes }), itemIndex);
  const items = segmentItems(job, itemIndex);
  if (context.getNodeParameter('download', itemIndex) !== true) return items;
  return await withFiles(context, items, context.getNodeParameter('outputBinaryField', itemIndex) as string);
}

/**
 * Undefined if the node polls. An execution has a single resume URL, so several jobs cannot share it; and
 * files may take longer than a notification waits for its response.
 */
function resumeUrl(context: IExecuteFunctions, itemCount: number): string | undefined {
  if (itemCount !== 1 || context.getNodeParameter('operation', 0) !== 'split') return undefined;
  const wait = context.getNodeParameter('wait', 0);
  if (!['auto', 'webhook'].includes(wait as string)) return undefined;
  if (context.getNodeParameter('download', 0) === true) return undefined;
  const url = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
  return wait === 'webhook' || url.startsWith('https://') ? url : undefined;
}

/** The input is what n8n passes on where the time limit ends the sleep, and what the notification finds. */
async function sleepUntilNotified(context: IExecuteFunctions, job: Job): Promise<void> {
  const [item] = context.getInputData();
  if (item !== undefined) item.json = { ...job };
  const minutes = context.getNodeParameter('timeoutMinutes', 0) as number;
  await context.putExecutionToWait(new Date(Date.now() + minutes * MS_PER_MINUTE));
}
