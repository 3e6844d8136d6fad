import type { Job, QueuedJob, SplitRequest } from '@audiosplit/client';
import { failedJob } from './failures.ts';
import { SPLIT_PROPERTIES } from './generated/tool-schemas.ts';
import type { LocalEngine } from './local-engine.ts';
import { describeJob, describeLocal } from './results.ts';
import type { Tool, ToolContext } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** Clients abort a call after a minute unless they receive progress. */
const DEFAULT_WAIT_SECONDS = 45;
const WAIT_SECONDS = {
  type: 'integer',
  minimum: 0,
  maximum: 300,
  description: `How long the call waits for the end of the job, ${DEFAULT_WAIT_SECONDS} by default. The job goes on afterwards.`,
};
const { webhookUrl, metadata, ...CUTS } = SPLIT_PROPERTIES;
// What only one splitMode takes is in the descriptions, and in the refusals of the API: models are given schemas with `oneOf`
// at the root by few clients.
const ON_SERVER = { ...SPLIT_PROPERTIES, waitSeconds: WAIT_SECONDS };
const PLANNED_ON_SERVER = { ...CUTS, waitSeconds: WAIT_SECONDS };

const PLAN = {
  name: 'plan_split',
  title: 'Plan a split',
  description:
    'Where audio would be cut: times, names and sizes of the segments. It makes no files and uses no quota.',
  readOnly: true,
} as const;
const SPLIT = {
  name: 'split_audio',
  title: 'Split audio',
  description:
    'Splits audio from a URL, reports progress while it waits, and gives a download link for each segment. Where the job is not ' +
    'done in time, the result says so: call get_job then.',
  readOnly: false,
} as const;

/** Of URLs, over the API. */
export const SPLIT_TOOLS: readonly Tool[] = [
  { ...PLAN, properties: PLANNED_ON_SERVER, required: ['sourceUrl', 'splitMode'], run: planOnServer },
  { ...SPLIT, properties: ON_SERVER, required: ['sourceUrl', 'splitMode'], run: splitOnServer },
];

const PATH = {
  type: 'string',
  minLength: 1,
  description: 'A file on this machine, in place of sourceUrl. It is cut here, without a server.',
};
const OUTPUT_FOLDER = {
  type: 'string',
  minLength: 1,
  description:
    'With path: where the segments go; by default <name>-segments beside the file. No file is overwritten.',
};

/** Of files on the agent's machine, too. */
export function localSplitTools(local: LocalEngine): readonly Tool[] {
  const required = ['splitMode'];
  return [
    {
      ...PLAN,
      properties: { path: PATH, ...PLANNED_ON_SERVER },
      required,
      async run(args, context) {
        const { path, cuts } = readPlace(args);
        return path === undefined
          ? planOnServer(args, context)
          : describeLocal(await local.plan({ path, cuts, ...runOf(context) }));
      },
    },
    {
      ...SPLIT,
      description: `${SPLIT.description} A file on this machine, given by path, is cut here, into outputFolder.`,
      properties: { path: PATH, outputFolder: OUTPUT_FOLDER, ...ON_SERVER },
      required,
      async run({ outputFolder, ...args }, context) {
        const { path, cuts } = readPlace(args);
        if (path !== undefined) {
          const folder = outputFolder as string | undefined;
          return describeLocal(await local.split({ path, cuts, outputFolder: folder, ...runOf(context) }));
        }
        if (outputFolder === undefined) return splitOnServer(args, context);
        throw new ToolError('outputFolder is for files given by path: segments of a URL are links.');
      },
    },
  ];
}

function readPlace(args: Readonly<Record<string, unknown>>) {
  const { path, waitSeconds, ...cuts } = args;
  if ((path === undefined) !== (cuts.sourceUrl === undefined))
    return { path: path as string | undefined, cuts };
  throw new ToolError('Give either path, for a file on this machine, or sourceUrl.');
}

function runOf({ signal, reportProgress }: ToolContext) {
  return { signal, onProgress: reportProgress };
}

async function planOnServer(args: Readonly<Record<string, unknown>>, context: ToolContext) {
  return splitOnServer({ ...args, dryRun: true }, context);
}

async function splitOnServer(args: Readonly<Record<string, unknown>>, context: ToolContext) {
  const { waitSeconds = DEFAULT_WAIT_SECONDS, ...request } = args;
  const { audiosplit, signal } = context;
  // The API gives the best description of an invalid request.
  const accepted = await audiosplit.createSplit(request as unknown as SplitRequest, { signal });
  const job = await waitForEnd(accepted, waitSeconds as number, context);
  if (job.status === 'failed') throw failedJob(job);
  return describeJob(job);
}

/** The job as it stands at its end, or when the time is over. */
async function waitForEnd(accepted: QueuedJob, seconds: number, context: ToolContext): Promise<Job> {
  const { audiosplit, signal, stopWaiting, reportProgress } = context;
  const ending = AbortSignal.any([signal, stopWaiting, AbortSignal.timeout(seconds * 1_000)]);
  const { id } = accepted;
  try {
    for await (const event of audiosplit.followJob(id, { signal: ending })) {
      if (event.type !== 'progress') return event.job;
      reportProgress(event.progress);
    }
  } catch {
    signal.throwIfAborted();
  }
  // A job that was accepted is reported, whatever happens to the waiting: an agent would order it once more.
  return await audiosplit.getSplit(id, { signal }).catch(() => accepted);
}
