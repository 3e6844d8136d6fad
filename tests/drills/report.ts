/** The protocol of a run as a page. */
import { markdownTable } from '../harness/command/markdown-table.ts';
import type { Drill } from './drill.ts';
import type { Journal, JournalEntry } from './journal.ts';

export interface CarriedOut extends Pick<Drill, 'title' | 'what'>, Pick<Journal, 'entries' | 'measures'> {
  readonly startedAt: Date;
  readonly seconds: number;
}

export interface RunFacts {
  readonly startedAt: Date;
  readonly seconds: number;
  readonly cores: number;
  readonly outageSeconds: number;
  readonly leaseSeconds: number;
}

const INTRODUCTION = `# Disaster drills

The product as separate processes on real engines, under a light load without retries. docs/operations/drills.md explains
each drill and what it has to show.`;

export function deviationsOf({ entries }: Pick<CarriedOut, 'entries'>): readonly JournalEntry[] {
  return entries.filter(({ kind }) => kind === 'deviation');
}

/** Markdown. */
export function renderProtocol(facts: RunFacts, drills: readonly CarriedOut[]): string {
  return `${[INTRODUCTION, renderFacts(facts), renderOverview(drills), ...drills.map(renderDrill)].join('\n\n')}\n`;
}

function renderFacts({ startedAt, seconds, cores, outageSeconds, leaseSeconds }: RunFacts): string {
  return [
    `- ${toMinute(startedAt)}, ${describeDuration(seconds)} on ${cores} cores`,
    '- two gateways, two of each service, two splitters behind HAProxy; one PostgreSQL, Redis, Kafka broker and S3 store each',
    `- leases of ${leaseSeconds} s; Redis and Kafka stopped for ${outageSeconds} s`,
  ].join('\n');
}

function renderOverview(drills: readonly CarriedOut[]): string {
  const lines = drills.map((drill) => [
    drill.title,
    outcomeOf(drill),
    describeDuration(drill.seconds),
    drill.measures.map(({ what, value }) => `${what}: ${value}`).join('<br>'),
  ]);
  return markdownTable(['Drill', 'Outcome', 'Took', 'Measured'], lines, (column) =>
    column === 2 ? 'number' : 'text',
  );
}

function renderDrill(drill: CarriedOut): string {
  const lines = drill.entries.map(({ atSeconds, kind, text }) => [
    atSeconds.toFixed(1),
    kind === 'deviation' ? '**deviation**' : kind,
    text,
  ]);
  return [
    `## ${drill.title}`,
    `${drill.what} Begun ${toMinute(drill.startedAt)}; ${outcomeOf(drill)}.`,
    markdownTable(['s', '', ''], lines, (column) => (column === 0 ? 'number' : 'text')),
  ].join('\n\n');
}

function outcomeOf(drill: CarriedOut): string {
  const count = deviationsOf(drill).length;
  if (count === 0) return 'as expected';
  return `**${count} deviation${count === 1 ? '' : 's'}**`;
}

function describeDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
