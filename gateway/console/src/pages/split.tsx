import { useEffect } from 'preact/hooks';
import { type Chosen, filesOf, nameOf } from '../audio/chosen-source.ts';
import { type DestinationBody, toDestinationBody } from '../audio/destination.ts';
import { planSplit } from '../audio/plan.ts';
import { givenHeaders, readSourceHeaders, takesHeaders, withoutValues } from '../audio/source-headers.ts';
import { readFields, toBody } from '../audio/split-fields.ts';
import { formatBytes } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { ConnectionLost, FailureNotice } from '../parts/notices.tsx';
import { useAccount } from '../state/account.ts';
import { entry } from '../state/location.ts';
import { changeDraft, draftAt, drafts } from '../state/split-drafts.ts';
import { useStore } from '../state/store.ts';
import {
  BROKEN_OFF,
  dismissSubmission,
  type Stage,
  showSubmission,
  submissions,
  submit,
} from '../state/submissions.ts';
import { loadTus } from '../upload/send-parts.ts';
import { BatchSources } from './split/batch-sources.tsx';
import { DestinationOptions } from './split/destination.tsx';
import { DropZone } from './split/drop-zone.tsx';
import { PlanView } from './split/plan-view.tsx';
import { SourceHeadersField } from './split/source-headers-field.tsx';
import { splitCall } from './split/split-call.ts';
import { SplitForm } from './split/split-form.tsx';
import { UnfinishedUploads } from './split/unfinished-uploads.tsx';

/** As the service takes them. */
const MAX_BATCH_SOURCES = 1_000;

export function SplitPage() {
  const account = useAccount();
  const here = useStore(entry);
  useStore(drafts);
  const { source, look, text, headers, destination, submissionId } = draftAt(here);
  const submission = useStore(submissions).find(({ id }) => id === submissionId);
  useEffect(() => (submissionId === undefined ? undefined : showSubmission(submissionId)), [submissionId]);

  const read = readFields(text);
  const { request } = read;
  const bytes = source?.kind === 'file' ? source.file.size : undefined;
  const name = source === undefined ? '' : nameOf(source);
  const preview = request && planSplit({ seconds: look.seconds, bytes, name }, request);
  const limit = account.data?.maxFileSizeBytes;
  const tooLarge =
    source === undefined ? undefined : filesOf(source).find(({ size }) => size > (limit ?? size));
  const isTooMany = source?.kind === 'batch' && source.sources.length > MAX_BATCH_SOURCES;
  const isOutside = tooLarge !== undefined || isTooMany;
  const stage = submission?.stage;
  const isSending = stage?.kind === 'sending';
  const isBusy = isSending || stage?.kind === 'starting';

  const settings = request && toBody(request);
  const isWithHeaders = source?.kind === 'url' && takesHeaders(source.url);
  const { value: typedHeaders, problem: headersProblem } = readSourceHeaders(headers);
  const sourceHeaders = isWithHeaders ? typedHeaders : {};
  const isOfBatch = source?.kind === 'batch';
  const toBucket: DestinationBody = isOfBatch ? {} : toDestinationBody(destination);

  const choose = (chosen: Chosen | undefined) => {
    changeDraft(here, { source: chosen });
    // It says itself what is wrong when it is needed.
    if (chosen !== undefined && filesOf(chosen).length > 0) loadTus().catch(() => undefined);
  };

  const start = (isDryRun: boolean) => {
    if (source === undefined || settings === undefined || sourceHeaders === undefined) return;
    if (isBusy || isOutside) return;
    if (submission !== undefined) dismissSubmission(submission.id);
    const peaks = () => draftAt(here).look.peaks;
    const order = {
      source,
      settings: isDryRun ? { ...settings, dryRun: true } : settings,
      ofOneJob: { ...givenHeaders(sourceHeaders), ...toBucket },
      peaks,
    };
    changeDraft(here, { submissionId: submit(order) });
  };
  const run = (event: SubmitEvent) => {
    event.preventDefault();
    // Enter in a field submits too, and the fields are about to be disabled.
    if (!isBusy) event.submitter?.focus();
    start(false);
  };

  return (
    <Page
      title="Split a file"
      lead="Choose a recording and how to cut it. You see the result before anything runs."
    >
      <form class="split" onSubmit={run}>
        <DropZone source={source} isDisabled={isBusy} maxBytes={limit} onChoose={choose} />
        {source === undefined && <UnfinishedUploads />}
        <div class={source === undefined ? 'split-rest split-waiting' : 'split-rest'}>
          {source?.kind === 'batch' ? (
            <BatchSources
              batch={source}
              isDisabled={isBusy}
              maxBytes={limit}
              onChange={(chosen) => changeDraft(here, { source: chosen })}
            />
          ) : (
            <PlanView
              source={source}
              look={look}
              text={text}
              request={request}
              preview={preview}
              isDisabled={isBusy}
              onChange={(typed) => changeDraft(here, { text: typed })}
              onTry={() => start(true)}
            />
          )}
          <section class="card settings" aria-label="Settings">
            <SplitForm
              text={text}
              read={read}
              isDisabled={isBusy}
              onChange={(typed) => changeDraft(here, { text: typed })}
              furtherCount={Object.keys(toBucket).length}
              furtherOptions={
                <DestinationOptions
                  destination={destination}
                  isOfBatch={isOfBatch}
                  onChange={(chosen) => changeDraft(here, { destination: chosen })}
                />
              }
            />
            {isWithHeaders && (
              <SourceHeadersField
                text={headers}
                problem={headersProblem}
                isDisabled={isBusy}
                onChange={(typed) => changeDraft(here, { headers: typed })}
              />
            )}
            {tooLarge !== undefined && limit !== undefined && (
              <FailureNotice
                failure={{
                  code: 'FILE_TOO_LARGE',
                  message: `Your plan allows files of up to ${formatBytes(limit)}; ${
                    source?.kind === 'batch' ? tooLarge.name : 'this one'
                  } has ${formatBytes(tooLarge.size)}.`,
                  fields: new Map(),
                }}
              />
            )}
            {isTooMany && (
              <p class="problem" role="alert">
                A batch has at most {MAX_BATCH_SOURCES.toLocaleString('en')} sources; there are{' '}
                {nameOf(source)}.
              </p>
            )}
            {stage?.kind === 'failed' && <FailureNotice failure={stage.failure} />}
            {isSending && stage.isBroken && <ConnectionLost />}
            <div class="split-go">
              <button
                type="submit"
                class="button button-primary button-large"
                aria-disabled={
                  isBusy ||
                  source === undefined ||
                  request === undefined ||
                  sourceHeaders === undefined ||
                  isOutside
                }
              >
                {isSending && <span class="button-fill" style={{ width: `${stage.fraction * 100}%` }} />}
                <span class="button-label">
                  {labelOf(stage, source, preview?.plan?.count, request?.cut.dryRun === true)}
                </span>
              </button>
              {isSending && (
                <button type="button" class="button" onClick={() => dismissSubmission(submission?.id)}>
                  Stop
                </button>
              )}
              <span class="visually-hidden" role="status">
                {isSending ? statusOf(stage) : ''}
              </span>
            </div>
          </section>
        </div>
      </form>
      <Curl
        calls={[
          splitCall(source, settings, {
            ...givenHeaders(withoutValues(sourceHeaders ?? {})),
            ...toBucket,
          }),
        ]}
      />
    </Page>
  );
}

function statusOf({ isBroken, fraction }: Extract<Stage, { kind: 'sending' }>): string {
  return isBroken ? BROKEN_OFF : `Uploading, ${Math.floor(fraction * 10) * 10} per cent`;
}

function labelOf(
  stage: Stage | undefined,
  source: Chosen | undefined,
  count: number | undefined,
  isDryRun: boolean,
): string {
  if (stage?.kind === 'sending') return `Uploading … ${Math.round(stage.fraction * 100)} %`;
  if (stage?.kind === 'starting') return 'Starting …';
  if (isDryRun) return 'Start the dry run';
  if (source?.kind === 'batch') return `Split ${nameOf(source)}`;
  return count === undefined
    ? 'Split'
    : `Split into ${count.toLocaleString('en')} ${count === 1 ? 'segment' : 'segments'}`;
}
