import { useState } from 'preact/hooks';
import { api, type UsageReport } from '../api/client.ts';
import { formatBytes, formatFailed, formatMoney, formatSpan } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Tile } from '../parts/tile.tsx';
import { useQuery } from '../state/query.ts';
import { AlertNotices } from './billing/alert-notices.tsx';
import { UsagePlot } from './usage-plot.tsx';

const PERIODS = ['current', 'previous'] as const;
const LABELS = { current: 'This period', previous: 'The one before' };
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

export function UsagePage() {
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>('current');
  const { data, failure, reload } = useQuery(`usage ${period}`, () => api.account.usage.query({ period }));
  return (
    <Page
      title="Usage"
      lead={
        data === undefined
          ? ' '
          : `${days.format(new Date(data.period.start))} to ${days.format(new Date(data.period.end))}`
      }
      actions={
        <div class="switch" role="radiogroup" aria-label="Period">
          {PERIODS.map((each) => (
            <label key={each}>
              <input type="radio" name="period" checked={period === each} onChange={() => setPeriod(each)} />
              <span>{LABELS[each]}</span>
            </label>
          ))}
        </div>
      }
    >
      <AlertNotices />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? failure === undefined && <Skeleton rows={4} /> : <Report report={data} />}
      <Curl calls={[{ path: `/api/v1/billing/usage?period=${period}`, credential: 'token' }]} />
    </Page>
  );
}

function Report({ report }: { readonly report: UsageReport }) {
  const { usage, cost } = report;
  const { minutesProcessed, minutesIncluded, minutesOverage } = usage;
  const minutesLeft = Math.max(0, minutesIncluded - (minutesProcessed - minutesOverage));
  // An upgrade bills the overage and adds minutes.
  const isBeyond = minutesOverage > 0 && minutesLeft === 0;
  const share = minutesIncluded === 0 ? 0 : isBeyond ? 1 : 1 - minutesLeft / minutesIncluded;
  return (
    <>
      <div class="tiles">
        <div class="card tile tile-wide">
          <h2>Minutes of audio</h2>
          <p class="tile-value">
            {minutesProcessed.toLocaleString('en')}
            <small> of {minutesIncluded.toLocaleString('en')} included</small>
          </p>
          {/* biome-ignore lint/a11y/useSemanticElements: browsers style a meter each in its way */}
          <div
            class={share > 0.8 ? 'meter meter-high' : 'meter'}
            role="meter"
            aria-label="Share of the included minutes"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.min(100, Math.round(share * 100))}
          >
            <span style={{ transform: `scaleX(${Math.min(1, share)})` }} />
          </div>
          <p class="hint">
            {[
              minutesOverage > 0 &&
                `${minutesOverage.toLocaleString('en')} beyond the plan, charged separately`,
              !isBeyond && `${minutesLeft.toLocaleString('en')} left`,
            ]
              .filter(Boolean)
              .join(', ')}
          </p>
        </div>
        <Tile title="Jobs" value={usage.jobsCompleted.toLocaleString('en')} note={formatFailed(usage)} />
        <Tile title="Stored now" value={formatBytes(usage.storageUsedBytes)} note="in segments" />
        <Tile
          title="Cost"
          value={formatMoney(cost.total, cost.currency)}
          note={cost.overage > 0 ? `${formatMoney(cost.overage, cost.currency)} of it overage` : 'so far'}
        />
      </div>
      <section class="card plot-card" aria-labelledby="plot-title">
        <div class="plot-head">
          <h2 id="plot-title">Day by day</h2>
          <p class="plot-key" aria-hidden="true">
            <span class="plot-key-bar">minutes of the day</span>
            <span class="plot-key-line">sum so far</span>
            <span class="plot-key-quota">included</span>
          </p>
        </div>
        <UsagePlot report={report} />
        <table class="visually-hidden">
          <caption>Audio per day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Audio</th>
              <th scope="col">Jobs</th>
              <th scope="col">Failed</th>
              <th scope="col">Canceled</th>
            </tr>
          </thead>
          <tbody>
            {report.days.map(({ day, seconds, jobsCompleted, jobsFailed, jobsCanceled }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{formatSpan(seconds)}</td>
                <td>{jobsCompleted}</td>
                <td>{jobsFailed - jobsCanceled}</td>
                <td>{jobsCanceled}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
