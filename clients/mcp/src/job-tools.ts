import type { Query } from '@audiosplit/client';
import { JOB_ID, LIST_PROPERTIES } from './generated/tool-schemas.ts';
import { describeJob, describeRow, MAX_SEGMENTS } from './results.ts';
import type { Tool } from './tool.ts';

const jobId = { ...JOB_ID, description: 'Id of the job, as split_audio, plan_split and list_jobs give it.' };

export const JOB_TOOLS: readonly Tool[] = [
  {
    name: 'get_job',
    title: 'Read a job',
    description: `Where a job stands. Of a completed one at most ${MAX_SEGMENTS} segments with download links, signed afresh.`,
    properties: {
      jobId,
      fromSegment: { type: 'integer', minimum: 0, description: 'Index of the first segment to show.' },
    },
    required: ['jobId'],
    readOnly: true,
    run: async ({ jobId: id, fromSegment = 0 }, { audiosplit, signal }) =>
      describeJob(await audiosplit.getSplit(id as string, { signal }), fromSegment as number),
  },
  {
    name: 'list_jobs',
    title: 'List jobs',
    description: 'Jobs of the account, the newest first, without their segments.',
    properties: LIST_PROPERTIES,
    required: [],
    readOnly: true,
    async run(query, { audiosplit, signal }) {
      const { data, pagination } = await audiosplit.listSplits(query as Query<'listSplits'>, { signal });
      return { jobs: data.map(describeRow), pagination };
    },
  },
  {
    name: 'cancel_job',
    title: 'Stop a job',
    description:
      'Stops a job that is queued or running. It fails with CANCELED, and cannot be taken up again.',
    properties: { jobId },
    required: ['jobId'],
    readOnly: false,
    destructive: true,
    run: async ({ jobId: id }, { audiosplit }) => describeJob(await audiosplit.cancelSplit(id as string)),
  },
];
