import { parse } from 'node:path/posix';
import { isPlainCut } from '@audiosplit/proto/cut';
import { outputFormats } from '@audiosplit/proto/enum-words';
import type { Job } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { stringifyMembers } from '../http/input/json-text.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import { toJobManifest } from '../mapping/splits.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import { JobParams } from '../schemas/splits.ts';
import { requireSegments } from '../segments/require-segments.ts';
import { createCueSheet } from './cue-sheet.ts';
import { archiveResponse, type SentEntry, sendArchive } from './send-archive.ts';

const READER: Access = { kind: 'apiKey', scope: 'splits:read' };

/** GET and HEAD /splits/:jobId/archive */
export function archiveRoute(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: '/splits/:jobId/archive',
      exposeHeadRoute: false,
      ...endpoint({
        access: READER,
        errors: ['JOB_NOT_FOUND', 'NOT_FOUND', 'JOB_NOT_COMPLETED', 'SEGMENTS_EXPIRED'],
        schema: {
          operationId: 'downloadSplitArchive',
          tags: ['Splits'],
          summary: 'Download all segments',
          description:
            'One zip file with every segment of a completed job under its own name, stored without compression and ' +
            'created while it is sent. Its length is known beforehand; ranges are not supported. For a job beyond the plain ' +
            'modes `duration` and `fileSize` it also holds `manifest.json`, the job as the API returns it but without links, and, ' +
            'where at most 99 segments follow each other, a cue sheet. A dry run has no archive.',
          params: JobParams,
          response: archiveResponse,
        },
      }),
      handler: (request, reply) => sendJobArchive(dependencies, request, reply, request.params.jobId),
    });
  };
}

export async function sendJobArchive(
  { services: { jobs, actingFor }, store }: Pick<RouteDependencies, 'services' | 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  jobId: string,
): Promise<FastifyReply> {
  const answer = await jobs.getJob({ jobId }, actingFor(principalOf(request)));
  const job = present(answer.job, 'a job');
  const entries = entriesOf(job);
  const madeAt = timestampDate(present(job.completedAt, 'the time of its completion'));
  return sendArchive(request, reply, { fileName: archiveName(job), entries, madeAt, store });
}

/** Throws 404 NOT_FOUND, 409 JOB_NOT_COMPLETED, 410 SEGMENTS_EXPIRED. */
function entriesOf(job: Job): SentEntry[] {
  const cut = requireSegments(job);
  const { segments } = job;
  const files = segments.map(({ objectKey, fileName, sizeBytes }) => ({
    name: fileName,
    sizeBytes: Number(sizeBytes),
    objectKey,
  }));
  return cut === undefined || isPlainCut(cut) ? files : [...files, ...descriptionsOf(job)];
}

/** Files that describe to programs and players how the segments belong together. */
function descriptionsOf(job: Job): SentEntry[] {
  const sheet = createCueSheet(
    job.segments.map(({ fileName, title, startMs, durationMs }) => ({
      fileName,
      title,
      startMs: Number(startMs),
      durationMs: Number(durationMs),
    })),
    job.request && outputFormats.toWord(job.request.outputFormat),
  );
  return [
    textEntry('manifest.json', `${stringifyMembers(toJobManifest(job))}\n`),
    ...(sheet === undefined ? [] : [textEntry(`${baseNameOf(job)}.cue`, sheet)]),
  ];
}

function textEntry(name: string, text: string): SentEntry {
  const bytes = Buffer.from(text);
  return { name, sizeBytes: bytes.length, bytes };
}

function archiveName(job: Job): string {
  return `${baseNameOf(job)}.zip`;
}

export function baseNameOf({ id, sourceFileName }: Job): string {
  return parse(sourceFileName ?? id).name;
}
