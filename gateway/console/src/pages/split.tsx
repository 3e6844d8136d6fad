import { useEffect } from 'preact/hooks';
import { type ChosenSource, nameOf } from '../audio/chosen-source.ts';
import { planSplit } from '../audio/plan.ts';
import { readFields, toBody } from '../audio/split-fields.ts';
import type { CurlCall } from '../format/curl-command.ts';
import { formatBytes } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { FailureNotice } from '../parts/notices.tsx';
import { useAccount } from '../state/account.ts';
import { entry } from '../state/location.ts';
import { changeDraft, draftAt, drafts } from '../state/split-drafts.ts';
import { useStore } from '../state/store.ts';
import { dismissSubmission, type Stage, showSubmission, submissions, submit } from '../state/submissions.ts';
import { DropZone } from './split/drop-zone.tsx';
import { PlanView } from './split/plan-view.tsx';
import { SplitForm } from './split/split-form.tsx';

export function SplitPage() {
  const account = useAccount();
  const here = useStore(entry);
  useStore(drafts);
  const { source, look, text, submissionId } = draftAt(here);
  const submission = useStore(submissions).find(({ id }) => id === submissionId);
  useEffect(() => (submissionId === undefined ? undefined : showSubmission(submissionId)), [submissionId]);

  const read = readFields(text);
  const { request } = read;
  const bytes = source?.kind === 'file' ? source.file.size : undefined;
  const name = source === undefined ? '' : nameOf(source);
  const plan = request === undefined ? undefined : planSplit({ seconds: look.seconds, bytes, name }, request);
  const limit = account.data?.maxFileSizeBytes;
  const isTooLarge = bytes !== undefined && limit !== undefined && bytes > limit;
  const stage = submission?.stage;
  const isSending = stage?.kind === 'sending';
  const isBusy = isSending || stage?.kind === 'starting';

  const body = request && toBody(request);

  const run = (event: SubmitEvent) => {
    event.preventDefault();
    if (source === undefined || body === undefined || isBusy || isTooLarge) return;
    // Enter in a field submits too, and the fields are about to be disabled.
    event.submitter?.focus();
    if (submission !== undefined) dismissSubmission(submission.id);
    const peaks = () => draftAt(here).look.peaks;
    changeDraft(here, { submissionId: submit({ source, body, peaks }) });
  };

  return (
    <Page
      title="Split a file"
      lead="Choose a recording, say how to cut it, and see what comes of it before anything runs."
    >
      <form class="split" onSubmit={run}>
        <DropZone
          source={source}
          isDisabled={isBusy}
          maxBytes={limit}
          onChoose={(chosen) => changeDraft(here, { source: chosen })}
        />
        <div class={source === undefined ? 'split-rest split-waiting' : 'split-rest'}>
          <PlanView source={source} look={look} request={request} plan={plan} />
          <section class="card settings" aria-label="Settings">
            <SplitForm
              text={text}
              read={read}
              isDisabled={isBusy}
              onChange={(typed) => changeDraft(here, { text: typed })}
            />
            {isTooLarge && (
              <FailureNotice
                failure={{
                  code: 'FILE_TOO_LARGE',
                  message: `Your plan takes files of up to ${formatBytes(limit)}; this one has ${formatBytes(bytes)}.`,
                  fields: new Map(),
                }}
              />
            )}
            {stage?.kind === 'failed' && <FailureNotice failure={stage.failure} />}
            <div class="split-go">
              <button
                type="submit"
                class="button button-primary button-large"
                aria-disabled={isBusy || source === undefined || request === undefined || isTooLarge}
              >
                {isSending && <span class="button-fill" style={{ width: `${stage.fraction * 100}%` }} />}
                <span class="button-label">{labelOf(stage, plan?.count, request?.cut.dryRun === true)}</span>
              </button>
              {isSending && (
                <button type="button" class="button" onClick={() => dismissSubmission(submission?.id)}>
                  Stop
                </button>
              )}
              <span class="visually-hidden" role="status">
                {isSending ? `Uploading, ${Math.floor(stage.fraction * 10) * 10} per cent` : ''}
              </span>
            </div>
          </section>
        </div>
      </form>
      <Curl calls={callsOf(source, body)} />
    </Page>
  );
}

function labelOf(stage: Stage | undefined, count: number | undefined, isTrial: boolean): string {
  if (stage?.kind === 'sending') return `Uploading … ${Math.round(stage.fraction * 100)} %`;
  if (stage?.kind === 'starting') return 'Starting …';
  if (isTrial) return 'Run the trial';
  return count === undefined
    ? 'Split'
    : `Split into ${count.toLocaleString('en')} ${count === 1 ? 'segment' : 'segments'}`;
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
