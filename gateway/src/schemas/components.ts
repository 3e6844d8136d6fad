import type { TSchema } from 'typebox';
import { Account, DeletionScheduled, Export, ExportList, StartedExport } from './account.ts';
import { ApiKey, ApiKeyList, CreatedApiKey } from './api-keys.ts';
import { Batch, CreatedBatch } from './batches.ts';
import {
  BillingInfo,
  BillingProfile,
  CanceledSubscription,
  ChangedPlan,
  Invoice,
  InvoiceList,
  PaymentMethod,
  Plan,
  PlanList,
  Refund,
  SandboxClock,
  SpendLimit,
  Subscribed,
  Usage,
} from './billing.ts';
import { Connection, ConnectionList, ConnectionTest } from './connections.ts';
import { CUT_COMPONENTS } from './cut-fields.ts';
import { ErrorBody } from './error.ts';
import { Acceptance, Alive, Readiness } from './health.ts';
import { NOTIFICATIONS } from './notifications.ts';
import { Pagination } from './pagination.ts';
import { Preset, PresetList } from './presets.ts';
import { RecoveryCodes, SecondFactorSecret, Security, SessionList, SignedInSession } from './security.ts';
import { Segment } from './segment.ts';
import { KeySetBody, Session } from './sessions.ts';
import { SplitSettings } from './split-settings.ts';
import { CompletedJob, FailedJob, FoundJobs, JobList, JobRow, ProcessingJob, QueuedJob } from './splits.ts';
import { Upload } from './uploads.ts';
import { PendingWaveform, Waveform } from './waveform.ts';
import { Delivery, DeliveryList, WebhookEndpoint, WebhookSecret } from './webhooks.ts';

/** All named components of the API description. */
export const COMPONENTS: readonly TSchema[] = [
  ErrorBody,
  Pagination,
  Session,
  KeySetBody,
  CreatedApiKey,
  ApiKey,
  ApiKeyList,
  QueuedJob,
  ProcessingJob,
  CompletedJob,
  FailedJob,
  Segment,
  ...CUT_COMPONENTS,
  JobRow,
  JobList,
  FoundJobs,
  Batch,
  CreatedBatch,
  SplitSettings,
  Preset,
  PresetList,
  Connection,
  ConnectionList,
  ConnectionTest,
  Waveform,
  PendingWaveform,
  Account,
  Security,
  SignedInSession,
  SessionList,
  SecondFactorSecret,
  RecoveryCodes,
  DeletionScheduled,
  StartedExport,
  Export,
  ExportList,
  Plan,
  PlanList,
  Subscribed,
  ChangedPlan,
  CanceledSubscription,
  PaymentMethod,
  BillingInfo,
  Refund,
  Invoice,
  InvoiceList,
  BillingProfile,
  SpendLimit,
  Usage,
  SandboxClock,
  WebhookSecret,
  Delivery,
  DeliveryList,
  WebhookEndpoint,
  Upload,
  Alive,
  Acceptance,
  Readiness,
  ...NOTIFICATIONS.map(({ body }) => body),
];
