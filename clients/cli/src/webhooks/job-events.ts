/** The notifications that a job's change makes, with the fields that a webhook would get. */
import type { Job, WebhookEvent } from '@audiosplit/client';

const FIELDS = [
  ...['id', 'status', 'splitMode', 'segmentDuration', 'maxFileSize', 'parts', 'maxDuration', 'overlap'],
  ...['audioTrack', 'outputFormat', 'sourceFileName', 'segmentCount', 'createdAt', 'completedAt', 'failedAt'],
  ...['error', 'dryRun', 'metadata'],
] as const;

/**
 * A job that has completed between two looks has begun as well. One that failed may have been canceled in the queue, so
 * nothing is made up for it.
 */
export function eventsOf(job: Job, before: Job['status'] | undefined, atMs: number): WebhookEvent[] {
  const missed = job.status === 'completed' && before !== 'processing' ? [begun(job)] : [];
  const states = [...missed, job].filter(({ status }) => status !== 'queued');
  const timestamp = new Date(atMs).toISOString();
  return states.map((state) => {
    const whole: Readonly<Record<string, unknown>> = {
      segmentCount: 'segments' in state ? state.segments.length : null,
      completedAt: null,
      ...state,
    };
    const data = Object.fromEntries(
      FIELDS.filter((name) => whole[name] !== undefined).map((name) => [name, whole[name]]),
    );
    return { type: `split.${state.status}`, timestamp, data } as WebhookEvent;
  });
}

function begun(job: Job): Job {
  const { segments: _, completedAt: __, ...rest } = job as Extract<Job, { status: 'completed' }>;
  return { ...rest, status: 'processing' } as unknown as Job;
}
