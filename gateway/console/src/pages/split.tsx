import { useEffect, useState } from 'preact/hooks';
import { api, type Failure, failureOf } from '../api/client.ts';
import { readDuration } from '../audio/duration.ts';
import { keepPeaks, type Peaks, readPeaks } from '../audio/peaks.ts';
import { planSplit } from '../audio/plan.ts';
import { DEFAULT_FIELDS, readFields, type SplitFields, toBody } from '../audio/split-fields.ts';
import { sendFile } from '../audio/upload.ts';
import type { CurlCall } from '../format/curl-command.ts';
import { formatBytes } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { FailureNotice } from '../parts/notices.tsx';
import { useAccount } from '../state/account.ts';
import { tell } from '../state/announce.ts';
import { holdPage, type Work } from '../state/leaving.ts';
import { navigate } from '../state/location.ts';
import { type ChosenSource, DropZone } from './split/drop-zone.tsx';
import { PlanView } from './split/plan-view.tsx';
import { SplitForm } from './split/split-form.tsx';

/** What the browser has found out about a local file. */
interface Look {
  readonly seconds: number | undefined;
  readonly peaks: Peaks | undefined;
  readonly isOver: boolean;
}

type Step =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'sending'; readonly fraction: number }
  | { readonly kind: 'starting' };

const NOTHING: Look = { seconds: undefined, peaks: undefined, isOver: false };

export function SplitPage() {
  const account = useAccount();
  const [source, setSource] = useState<ChosenSource>();
  const [look, setLook] = useState<Look>(NOTHING);
  const [text, setText] = useState<SplitFields>(DEFAULT_FIELDS);
  const [step, setStep] = useState<Step>({ kind: 'choosing' });
  const [failure, setFailure] = useState<Failure>();
  const [abort, setAbort] = useState<AbortController>();

  useEffect(() => {
    setLook(NOTHING);
    if (source?.kind !== 'file') return;
    let isCurrent = true;
    void lookAt(source.file, (found) => isCurrent && setLook(found));
    return () => {
      isCurrent = false;
    };
  }, [source]);
  useEffect(() => () => abort?.abort(), [abort]);

  const read = readFields(text);
  const { request } = read;
  const bytes = source?.kind === 'file' ? source.file.size : undefined;
  const name = source === undefined ? '' : source.kind === 'file' ? source.file.name : source.url;
  const plan = request === undefined ? undefined : planSplit({ seconds: look.seconds, bytes, name }, request);
  const limit = account.data?.maxFileSizeBytes;
  const isTooLarge = bytes !== undefined && limit !== undefined && bytes > limit;
  const isBusy = step.kind !== 'choosing';

  const body = request && toBody(request);

  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    if (source === undefined || body === undefined || isBusy || isTooLarge) return;
    // Enter in a field submits too, and the fields are about to be disabled.
    event.submitter?.focus();
    const controller = new AbortController();
    setAbort(controller);
    setFailure(undefined);
    const { signal } = controller;
    let release = source.kind === 'file' ? holdPage(uploadOf(source.file)) : () => {};
    try {
      const sourceUrl =
        source.kind === 'url'
          ? source.url
          : await upload(source.file, (fraction) => setStep({ kind: 'sending', fraction }), signal);
      signal.throwIfAborted();
      setStep({ kind: 'starting' });
      release = holdPage(START);
      const job = await api.jobs.create.mutate({ sourceUrl, ...body }, { signal });
      if (look.peaks !== undefined) keepPeaks(job.id, look.peaks);
      signal.throwIfAborted();
      tell('The split has begun.');
      navigate(`/jobs/${job.id}`);
    } catch (error) {
      setStep({ kind: 'choosing' });
      if (!signal.aborted) setFailure(error instanceof UploadError ? error.failure : failureOf(error));
    } finally {
      release();
    }
  };

  return (
    <Page
      title="Split a file"
      lead="Choose a recording, say how to cut it, and see what comes of it before anything runs."
    >
      <form class="split" onSubmit={run}>
        <DropZone source={source} isDisabled={isBusy} maxBytes={limit} onChoose={setSource} />
        <div class={source === undefined ? 'split-rest split-waiting' : 'split-rest'}>
          <PlanView source={source} look={look} request={request} plan={plan} />
          <section class="card settings" aria-label="Settings">
            <SplitForm text={text} read={read} isDisabled={isBusy} onChange={setText} />
            {isTooLarge && (
              <FailureNotice
                failure={{
                  code: 'FILE_TOO_LARGE',
                  message: `Your plan takes files of up to ${formatBytes(limit)}; this one has ${formatBytes(bytes)}.`,
                  fields: new Map(),
                }}
              />
            )}
            {failure !== undefined && <FailureNotice failure={failure} />}
            <div class="split-go">
              <button
                type="submit"
                class="button button-primary button-large"
                aria-disabled={isBusy || source === undefined || request === undefined || isTooLarge}
              >
                {step.kind === 'sending' && (
                  <span class="button-fill" style={{ width: `${step.fraction * 100}%` }} />
                )}
                <span class="button-label">{labelOf(step, plan?.count, request?.cut.dryRun === true)}</span>
              </button>
              {step.kind === 'sending' && (
                <button type="button" class="button" onClick={() => abort?.abort()}>
                  Stop
                </button>
              )}
              <span class="visually-hidden" role="status">
                {step.kind === 'sending' ? `Uploading, ${Math.floor(step.fraction * 10) * 10} per cent` : ''}
              </span>
            </div>
          </section>
        </div>
      </form>
      <Curl calls={callsOf(source, body)} />
    </Page>
  );
}

/** Shown while the creation is in flight. */
const START: Work = {
  title: 'Leave before the split has begun?',
  text: 'The service has been asked for the split and has not answered yet. If you leave now, look at your jobs for whether it has begun.',
  action: 'Leave',
};

function uploadOf({ name }: File): Work {
  return {
    title: 'Stop the upload?',
    text: `${name} is still being sent. If you leave this page now the upload stops, and nothing is split.`,
    action: 'Stop and leave',
  };
}

class UploadError extends Error {
  get failure(): Failure {
    return { code: 'UPLOAD_FAILED', message: this.message, fields: new Map() };
  }
}

async function upload(
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<string> {
  onProgress(0);
  const { uploadUrl, sourceUrl } = await api.jobs.createUpload.mutate(
    { fileName: file.name.slice(-255) },
    { signal },
  );
  await sendFile(uploadUrl, file, onProgress, signal).catch((error) => {
    throw new UploadError(error instanceof Error ? error.message : 'The upload was stopped.');
  });
  return sourceUrl;
}

/** Reads the duration first, which is quick. */
async function lookAt(file: File, tell: (look: Look) => void): Promise<void> {
  const seconds = await readDuration(file);
  tell({ seconds, peaks: undefined, isOver: false });
  const peaks = await readPeaks(file, seconds);
  tell({ seconds: seconds ?? peaks?.seconds, peaks, isOver: true });
}

function labelOf(step: Step, count: number | undefined, isTrial: boolean): string {
  switch (step.kind) {
    case 'sending':
      return `Uploading … ${Math.round(step.fraction * 100)} %`;
    case 'starting':
      return 'Starting …';
    case 'choosing':
      if (isTrial) return 'Run the trial';
      return count === undefined
        ? 'Split'
        : `Split into ${count.toLocaleString('en')} ${count === 1 ? 'segment' : 'segments'}`;
    default:
      return step satisfies never;
  }
}

function callsOf(source: ChosenSource | undefined, body: object | undefined): CurlCall[] {
  const create: CurlCall = {
    method: 'POST',
    path: '/api/v1/splits',
    credential: 'key',
    body: { sourceUrl: source?.kind === 'url' ? source.url : 'https://…', ...body },
  };
  if (source?.kind !== 'file') return [create];
  const fileName = source.file.name;
  return [
    { method: 'POST', path: '/api/v1/uploads', credential: 'key', body: { fileName } },
    {
      method: 'PUT',
      path: '/uploads/… (uploadUrl of the answer)',
      credential: 'none',
      upload: fileName,
    },
    { ...create, body: { sourceUrl: 'sourceUrl of the first answer', ...body } },
  ];
}
