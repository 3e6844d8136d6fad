/**
 * Reports the progress of uploads to the jobs service, which counts them against the limits of their account
 * (decision 50). The beginning and the end of an upload are reported at once. In between, all uploads are
 * reported every five seconds in one call. If a report is lost, the next one has newer values. If a gateway
 * dies, its uploads count for another 30 s.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/process/log';
import { UploadReportSchema, UploadState } from '@audiosplit/proto/jobs/v1/jobs';
import { create, type MessageShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Services } from '../services.ts';

const REPORT_EVERY_MS = 5_000;
/** The maximum number of reports in a call, and of ends that wait for a retry. Further ends are dropped. */
const MAX_REPORTS = 1_000;

export interface BegunUpload {
  readonly accountId: string;
  readonly uploadId: string;
  readonly announcedBytes: number | undefined;
  readonly expiresAt: Date;
}

export interface ReportedUpload {
  receivedBytes: number;
  /** Resolves after the report was sent, even if that failed. */
  end(state: 'stored' | 'brokenOff'): Promise<void>;
}

export interface UploadReports extends AsyncDisposable {
  /** Resolves after the report was sent, even if that failed: the upload is accepted anyway. */
  begin(upload: BegunUpload): Promise<ReportedUpload>;
}

type Report = MessageShape<typeof UploadReportSchema>;

export function createUploadReports(jobs: Services['jobs'], log: Logger): UploadReports {
  const receiving = new Map<ReportedUpload, Report>();
  let ended: Report[] = [];
  let isFailing = false;

  const send = async (reports: readonly Report[]) => {
    if (reports.length === 0) return true;
    try {
      await jobs.reportUploads({ uploads: [...reports] });
      isFailing = false;
      return true;
    } catch (error) {
      if (!isFailing) log.warn({ uploads: reports.length }, `uploads were not reported: ${messageOf(error)}`);
      isFailing = true;
      return false;
    }
  };
  const sendAll = async () => {
    for (const [upload, report] of receiving) report.receivedBytes = BigInt(upload.receivedBytes);
    const ends = ended.slice(0, MAX_REPORTS);
    ended = [];
    if (!(await send(ends))) ended = [...ends, ...ended].slice(0, MAX_REPORTS);
    const reports = [...receiving.values()];
    for (let first = 0; first < reports.length; first += MAX_REPORTS) {
      await send(reports.slice(first, first + MAX_REPORTS));
    }
  };
  let sending: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    sending = sending.then(sendAll);
  }, REPORT_EVERY_MS);
  timer.unref();

  return {
    async begin({ accountId, uploadId, announcedBytes, expiresAt }) {
      const report = create(UploadReportSchema, {
        accountId,
        uploadId,
        state: UploadState.RECEIVING,
        expiresAt: timestampFromDate(expiresAt),
        ...(announcedBytes === undefined ? {} : { announcedBytes: BigInt(announcedBytes) }),
      });
      const upload: ReportedUpload = {
        receivedBytes: 0,
        async end(state) {
          receiving.delete(upload);
          const last = create(UploadReportSchema, {
            ...report,
            state: state === 'stored' ? UploadState.STORED : UploadState.BROKEN_OFF,
            receivedBytes: BigInt(upload.receivedBytes),
          });
          // A batch in flight may still report it as in progress, so the end is sent after that.
          await sending;
          if (!(await send([last])) && ended.length < MAX_REPORTS) ended.push(last);
        },
      };
      await send([report]);
      receiving.set(upload, report);
      return upload;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sending.then(sendAll);
    },
  };
}
