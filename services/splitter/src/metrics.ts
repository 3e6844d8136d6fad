/** The metrics of a splitter. */
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
    help: 'Attempts of a splitter at a job or at a part of a job.',
    labels: {
      work: ['job', 'part'],
      outcome: ['done', 'failed', 'released', 'indivisible', 'ended', 'unreserved', 'lost'],
    },
    buckets: LONG_WORK_SECONDS,
  },
  audiosplit_job_leases_lost_total: {
    type: 'counter',
    help: 'Attempts dropped because another worker has the job, or because no renewal succeeded.',
    labels: {},
  },
  audiosplit_decoder_attacks_total: {
    type: 'counter',
    help: 'Sources that made ffmpeg do something no codec does, which indicates an attack.',
    labels: {},
  },
  audiosplit_decoder_sandbox: {
    type: 'gauge',
    help: 'The confinement of ffmpeg: 1 for the level in force, 0 for the others.',
    labels: { level: SANDBOX_LEVELS },
  },
  audiosplit_splitter_slots: {
    type: 'gauge',
    help: 'Maximum of jobs that this splitter works on concurrently; those that only wait for their source do not count.',
    labels: {},
  },
  audiosplit_splitter_slots_busy: {
    type: 'gauge',
    help: 'Slots that are taken.',
    labels: {},
  },
  audiosplit_splitter_slots_waiting: {
    type: 'gauge',
    help: 'Claimed jobs that have input and wait for a slot.',
    labels: {},
  },
  audiosplit_splitter_slots_passed_on_total: {
    type: 'counter',
    help: 'Slots that a long job passed on to another account, to continue later.',
    labels: {},
  },
  audiosplit_splitter_fetches_limit: {
    type: 'gauge',
    help: 'Maximum of sources that this splitter fetches concurrently (SPLITTER_FETCHES).',
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
  audiosplit_splitter_bucket_transfers: {
    type: 'gauge',
    help: 'Segments being sent to buckets of accounts.',
    labels: {},
  },
  audiosplit_splitter_bucket_transfers_set_aside_total: {
    type: 'counter',
    help: 'Segment transfers that started again because another account was below its share.',
    labels: {},
  },
  audiosplit_splitter_fetches_set_aside_total: {
    type: 'counter',
    help: 'Fetches interrupted for an account below its share, to be resumed later.',
    labels: {},
  },
  audiosplit_splitter_waveforms_total: {
    type: 'counter',
    help: 'Requests for the waveform of a job. no_room: jobs held all slots, or another waveform was being drawn.',
    labels: { outcome: ['drawn', 'no_room', 'undecodable'] },
  },
  audiosplit_splitter_dry_run_waveforms_total: {
    type: 'counter',
    help: 'Waveforms of dry runs of links. left_out: drawing took too long or failed, or the cuts need only a part of the source.',
    labels: { outcome: ['drawn', 'left_out'] },
  },
  audiosplit_splitter_scratch_free_bytes: {
    type: 'gauge',
    help: 'Free space of the file system of the scratch folder.',
    labels: {},
  },
  audiosplit_splitter_scratch_limit_bytes: {
    type: 'gauge',
    help: 'What jobs may store in the scratch folder in total (SCRATCH_LIMIT_BYTES).',
    labels: {},
  },
  audiosplit_splitter_scratch_reserved_bytes: {
    type: 'gauge',
    help: 'Scratch space that jobs have reserved.',
    labels: {},
  },
  audiosplit_splitter_scratch_waiting: {
    type: 'gauge',
    help: 'Jobs that wait for scratch space.',
    labels: {},
  },
} as const satisfies MetricDefinitions;

export const { count, expose, observeSince } = metersOf(METRICS);
