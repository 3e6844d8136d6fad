/** A job from its request to its segments. */
import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  NodeApiError,
  NodeOperationError,
  sleep,
} from 'n8n-workflow';
import { asNodeError, type Context, callApi, refusesField } from './call.ts';

export interface Job extends IDataObject {
  id: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
}

interface Segment extends IDataObject {
  fileName: string;
  downloadUrl?: string;
}

const MAX_PAUSE_SECONDS = 15;

export function readJob(context: Context, id: string, itemIndex = 0): Promise<Job> {
  const path = `/splits/${encodeURIComponent(id)}`;
  return callApi(context, { credential: 'audiosplitApi', method: 'GET', path, itemIndex }) as Promise<Job>;
}

interface Notified {
  readonly job: Job;
  /** Whether the end of the job is notified to the URL. */
  readonly isNotified: boolean;
}

/** An installation may refuse a URL that it cannot reach. The job is then created without. */
export async function createJob(
  context: IExecuteFunctions,
  request: IDataObject,
  { webhookUrl, itemIndex }: { readonly webhookUrl: string | undefined; readonly itemIndex: number },
): Promise<Notified> {
  const create = (body: IDataObject) =>
    callApi(context, {
      credential: 'audiosplitApi',
      method: 'POST',
      path: '/splits',
      body,
      itemIndex,
    }) as Promise<Job>;
  if (webhookUrl === undefined) return { job: await create(request), isNotified: false };
  try {
    return { job: await create({ ...request, webhookUrl }), isNotified: true };
  } catch (error) {
    if (!refusesField(error, 'webhookUrl')) throw asNodeError(context, error);
    return { job: await create(request), isNotified: false };
  }
}

/** Reads the job at growing intervals. Resolves with the completed job, and throws where it fails. */
export async function pollJob(
  context: IExecuteFunctions,
  id: string,
  { itemIndex, timeoutMinutes }: { readonly itemIndex: number; readonly timeoutMinutes: number },
): Promise<Job> {
  const untilMs = Date.now() + timeoutMinutes * 60_000;
  for (let seconds = 1; ; seconds = Math.min(seconds * 1.5, MAX_PAUSE_SECONDS)) {
    const job = await readJob(context, id, itemIndex);
    if (isEnded(job)) return completed(context, job, itemIndex);
    const isCanceled = context.getExecutionCancelSignal()?.aborted === true;
    if (isCanceled || Date.now() >= untilMs) {
      const message = isCanceled ? 'The execution was canceled' : `No end within ${timeoutMinutes} minutes`;
      const description = `The job ${id} goes on. “Get Segments” reads it later.`;
      throw new NodeOperationError(context.getNode(), message, { description, itemIndex });
    }
    await sleep(seconds * 1_000);
  }
}

export function isEnded({ status }: Job): boolean {
  return status === 'completed' || status === 'failed';
}

/** The job, if it has not failed. */
export function completed(context: Context, job: Job, itemIndex = 0): Job {
  if (job.status !== 'failed') return job;
  const { code, message } = job.error as { readonly code: string; readonly message: string };
  throw new NodeApiError(
    context.getNode(),
    { code, message },
    { message: `The split failed: ${message}`, description: `${code}, job ${job.id}`, itemIndex },
  );
}

/** One item a segment. */
export function segmentItems({ id, segments }: Job, itemIndex = 0): INodeExecutionData[] {
  return (segments as Segment[]).map((segment) => ({
    json: { jobId: id, ...segment },
    pairedItem: { item: itemIndex },
  }));
}

/** The items with the files of their segments. */
export async function withFiles(
  context: IExecuteFunctions,
  items: readonly INodeExecutionData[],
  property: string,
): Promise<INodeExecutionData[]> {
  const filled: INodeExecutionData[] = [];
  for (const item of items) {
    const { fileName, downloadUrl } = item.json as Segment;
    if (downloadUrl === undefined) filled.push(item);
    else {
      const file = await download(context, downloadUrl);
      const binary = await context.helpers.prepareBinaryData(file, fileName);
      filled.push({ ...item, binary: { [property]: binary } });
    }
  }
  return filled;
}

/** A link carries its own signature, and needs no credential. */
async function download(context: Context, url: string): Promise<Buffer> {
  try {
    const bytes = await context.helpers.httpRequest({ method: 'GET', url, encoding: 'arraybuffer' });
    return Buffer.from(bytes as ArrayBuffer);
  } catch (error) {
    const status = Object(error).httpCode ?? Object(error).response?.status ?? 'no answer';
    throw new NodeOperationError(context.getNode(), `A segment cannot be downloaded: ${status}`);
  }
}
