import { check } from 'k6';
import http from 'k6/http';
import { createJob, download, post, removeJob, waitForJob } from '../api.ts';
import { currentCaller } from '../plan.ts';

const SAMPLE = open(import.meta.resolve('../../../deploy/embedded/samples/tour.mp3'), 'b');

interface Upload {
  readonly uploadUrl: string;
  readonly sourceUrl: string;
}

/** The caller's own file: uploaded, split and downloaded. */
export function uploadSplitDownload(): void {
  const caller = currentCaller();
  const reserved = post(caller, '/api/v1/uploads', 'POST /uploads', { fileName: 'tour.mp3' });
  if (!check(reserved, { 'an upload is reserved': ({ status }) => status === 201 })) return;
  const { uploadUrl, sourceUrl } = reserved.json() as unknown as Upload;
  const sent = http.put(uploadUrl, SAMPLE, {
    headers: { 'Content-Type': 'audio/mpeg' },
    tags: { name: 'PUT upload' },
  });
  if (!check(sent, { 'a file is uploaded': ({ status }) => status === 204 })) return;
  const created = createJob(caller, sourceUrl);
  const job = created === undefined ? undefined : waitForJob(caller, created.id);
  if (job === undefined) return;
  for (const segment of job.segments ?? []) download(segment);
  removeJob(caller, job.id);
}
