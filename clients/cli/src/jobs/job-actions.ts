/** `audiosplit jobs`: what the server knows of the account's jobs. */
import { resolve } from 'node:path';
import type { Job, JobRow } from '@audiosplit/client';
import type { ActionCall, Actions } from '../actions/action.ts';
import { alignColumns } from '../table.ts';
import { UsageError } from '../usage.ts';
import { downloadJob } from './download-job.ts';

const STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;
const DEFAULT_ROWS = 20;

const DOWNLOAD_OPTIONS = {
  out: { value: 'DIR', help: 'of download: where to write; default: ./segments/JOB' },
  force: { help: 'of download: write into a folder that is not empty' },
};

export const JOB_ACTIONS = {
  list: {
    operands: [],
    help: 'the newest jobs',
    options: {
      status: { value: 'STATUS', help: `of list: ${STATUSES.join(', ')}` },
      limit: { value: 'N', help: `of list: how many; default: ${DEFAULT_ROWS}` },
    },
    async run({ client, option, print, signal }) {
      const status = readStatus(option('status'));
      const limit = readLimit(option('limit'));
      const rows: JobRow[] = [];
      const query = { limit: Math.min(limit, 100), ...(status === undefined ? {} : { status }) };
      for await (const row of client.eachSplit(query, { signal })) {
        rows.push(row);
        if (rows.length === limit) break;
      }
      print(rows, () => (rows.length === 0 ? 'no jobs' : alignColumns(rows.map(cellsOf))));
    },
  },
  show: {
    operands: ['JOB'],
    help: 'a job and its segments, with their links',
    run: async (call) => show(await call.client.getSplit(jobOf(call), { signal: call.signal }), call),
  },
  wait: {
    operands: ['JOB'],
    help: 'wait for its end; a job that fails leaves with 1',
    async run(call) {
      const { client, context, signal } = call;
      const onProgress = (percent: number) => {
        if (context.stderr.isTTY === true) context.stderr.write(`\r${percent} %`);
      };
      const job = await client.waitForJob(jobOf(call), { signal, onProgress });
      if (context.stderr.isTTY === true) context.stderr.write('\n');
      show(job, call);
    },
  },
  download: {
    operands: ['JOB'],
    help: 'all segments; one that broke off goes on where it was',
    options: DOWNLOAD_OPTIONS,
    async run(call) {
      const { client, option, context, print, signal } = call;
      const id = jobOf(call);
      const folder = resolve(context.workingDir, String(option('out') ?? `segments/${id}`));
      const manifest = await downloadJob(client, id, { folder, force: option('force') === true, signal });
      print([manifest], () => `${folder}\n${manifest.segments.length} segments`);
    },
  },
  cancel: {
    operands: ['JOB'],
    help: 'stop it: it fails with CANCELED',
    async run(call) {
      const id = jobOf(call);
      await call.client.cancelSplit(id, { signal: call.signal });
      call.print([{ id, canceled: true }], () => `${id} is canceled`);
    },
  },
  delete: {
    operands: ['JOB'],
    help: 'remove it and its segments for good',
    async run(call) {
      const id = jobOf(call);
      await call.client.deleteSplit(id, { signal: call.signal });
      call.print([{ id, deleted: true }], () => `${id} is deleted`);
    },
  },
} as const satisfies Actions;

/** As an id is part of the names of files here, it has to look like one. */
function jobOf({ operands: [id = ''] }: ActionCall): string {
  if (!/^\w{1,100}$/.test(id)) throw new UsageError(`${JSON.stringify(id)} is not the id of a job`);
  return id;
}

function readStatus(given: string | true | undefined): (typeof STATUSES)[number] | undefined {
  if (given === undefined) return undefined;
  const status = STATUSES.find((each) => each === given);
  if (status === undefined) throw new UsageError(`--status ${given}: choose one of ${STATUSES.join(', ')}`);
  return status;
}

function readLimit(given: string | true | undefined): number {
  const limit = given === undefined ? DEFAULT_ROWS : Number(given);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit ${given}: give a number from 1`);
  return limit;
}

function cellsOf({ id, status, createdAt, segmentCount, error, sourceFileName }: JobRow): string[] {
  const outcome = error?.code ?? (segmentCount === null ? '' : `${segmentCount} segments`);
  return [id, status, createdAt, outcome, sourceFileName ?? ''];
}

function show(job: Job, { print }: ActionCall): void {
  print([job], () => JSON.stringify(job, null, 2));
}
