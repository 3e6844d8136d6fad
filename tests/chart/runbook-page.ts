/** Generates docs/operations/runbook.md from the annotation `runbook` of the alert rules. */
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { RULE_FILES, readRules } from './rules.ts';

export const RUNBOOK_PAGE = join(repositoryRoot, 'docs/operations/runbook.md');

const INTRODUCTION = `# Runbook

Written by \`npm run generate -- runbook\` from the annotation \`runbook\` of the alerts in \`charts/audiosplit/rules/\`. Each alert has an
entry: what it means, what to check, what to do. [Objectives](#objectives) are at the end.
`;

const OBJECTIVES = `## Objectives

| Objective, over 30 days | Measured as |
|---|---|
| 99.9 % of API requests are not answered with 5xx | \`audiosplit_http_request_duration_seconds_count\`, routes below \`/api/\`, without requests whose caller disconnected (\`status_class="none"\`) |
| 99 % of new jobs are answered within 1 s | the buckets of that metric for \`POST /api/v1/splits\`; a slow source adds up to 3 s |
| 99.5 % of ended jobs did not fail with an internal error | \`audiosplit_job_failures_total{code="INTERNAL_ERROR"}\` ÷ \`audiosplit_job_duration_seconds_count\` |
| 95 % of jobs start within a minute | \`audiosplit_job_wait_duration_seconds\`; jobs that wait for their own account's limit count too |

Alerts: \`charts/audiosplit/rules/\`. *Fast* alerts page: at this rate the budget of 30 days is used up in five days or less.
*Slow* alerts are tickets. Dashboards: \`charts/audiosplit/dashboards/\`.

The label \`namespace\`, which ServiceMonitors and PodMonitors add, separates installations that share a Prometheus: each has its own
budgets and alerts. Series without it, such as those of \`npm run up\`, count as one installation. Several releases can install
their rules: equal alerts have equal labels, and Alertmanager merges them. The annotation \`runbook_url\` leads to this page.
\`monitoring.rules.runbookBaseUrl\` says where the repository can be read; if it is empty, the annotation is the path of this page.
`;

export function renderRunbook(): string {
  const alerts = RULE_FILES.flatMap(readRules).filter(({ kind }) => kind === 'alert');
  const entries = alerts.flatMap(({ runbook, anchor }) => {
    if (runbook === undefined) return [];
    const [title = '', ...text] = runbook.split('\n');
    const names = alerts.filter((alert) => alert.anchor === anchor).map(({ name }) => `\`${name}\``);
    return [`## ${title}\n\n${names.join(', ')}. ${text.join('\n').trim()}\n`];
  });
  return [INTRODUCTION, ...entries, OBJECTIVES].join('\n');
}

/** The anchor that GitHub derives from the heading. */
export function anchorOf(entry: string): string {
  const [heading = ''] = entry.split('\n');
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
