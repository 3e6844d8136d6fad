/** What a splitter measures. */
import {
  LONG_WORK_SECONDS,
  type MetricDefinitions,
} from '@audiosplit/chassis/observability/metric-definition';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import { SERVICE_METRICS } from '@audiosplit/chassis/observability/shared-metrics';
import { SANDBOX_LEVELS } from '@audiosplit/engine/sandbox/sandbox';

export const METRICS = {
  ...SERVICE_METRICS,
  audiosplit_job_attempt_duration_seconds: {
    type: 'histogram',
    help: 'Attempts of a splitter at a job or a part of one.',
    labels: {
      work: ['job', 'part'],
      outcome: ['done', 'failed', 'released', 'indivisible', 'ended', 'unreserved', 'lost'],
    },
    buckets: LONG_WORK_SECONDS,
  },
  audiosplit_job_leases_lost_total: {
    type: 'counter',
    help: 'Attempts dropped because another worker has the job by now, or because no renewal got through.',
    labels: {},
  },
  audiosplit_decoder_attacks_total: {
    type: 'counter',
    help: 'Sources that made ffmpeg do what no codec does, as somebody would who has taken it over.',
    labels: {},
  },
  audiosplit_decoder_sandbox: {
    type: 'gauge',
    help: 'How far ffmpeg is confined: 1 for the level that has been reached, 0 for the others.',
    labels: { level: SANDBOX_LEVELS },
  },
  audiosplit_splitter_slots: {
    type: 'gauge',
    help: 'Jobs that this splitter works on at most at the same time; those that only wait for their source left out.',
    labels: {},
  },
  audiosplit_splitter_slots_busy: {
    type: 'gauge',
    help: 'Slots that are taken.',
    labels: {},
  },
  audiosplit_splitter_slots_waiting: {
    type: 'gauge',
    help: 'Claimed jobs that have bytes to work on and wait for a slot.',
    labels: {},
  },
  audiosplit_splitter_fetches_limit: {
    type: 'gauge',
    help: 'Sources that this splitter fetches at most at the same time (SPLITTER_FETCHES).',
    labels: {},
  },
  audiosplit_splitter_fetches: {
    type: 'gauge',
    help: 'Sources that are being fetched.',
    labels: {},
  },
  audiosplit_splitter_fetches_waiting: {
    type: 'gauge',
    help: 'Claimed jobs that wait for a place to fetch.',
    labels: {},
  },
  audiosplit_splitter_fetches_set_aside_total: {
    type: 'counter',
    help: 'Fetches that gave their place up to an account below its share, to be resumed later.',
    labels: {},
  },
  audiosplit_splitter_waveforms_total: {
    type: 'counter',
    help: 'Requests for the waveform of a job. no_room: jobs held all slots, or another waveform was being drawn.',
    labels: { outcome: ['drawn', 'no_room', 'undecodable'] },
  },
  audiosplit_splitter_scratch_free_bytes: {
    type: 'gauge',
    help: 'What the file system of the scratch folder has left.',
    labels: {},
  },
  audiosplit_splitter_scratch_limit_bytes: {
    type: 'gauge',
    help: 'What jobs may hold in the scratch folder together (SCRATCH_LIMIT_BYTES).',
    labels: {},
  },
  audiosplit_splitter_scratch_reserved_bytes: {
    type: 'gauge',
    help: 'What jobs have reserved of it.',
    labels: {},
  },
  audiosplit_splitter_scratch_waiting: {
    type: 'gauge',
    help: 'Jobs that wait for room in it.',
    labels: {},
  },
} as const satisfies MetricDefinitions;

export const { count, expose, observeSince } = metersOf(METRICS);
