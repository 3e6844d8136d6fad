/** Names for what goes in and comes out. */
import type { components, webhooks } from './generated/schema.ts';
import type { Body } from './operation-types.ts';

type Schemas = components['schemas'];

export type SplitRequest = Body<'createSplit'>;
export type QueuedJob = Schemas['QueuedJob'];
export type ProcessingJob = Schemas['ProcessingJob'];
export type CompletedJob = Schemas['CompletedJob'];
export type FailedJob = Schemas['FailedJob'];
/** Discriminated by its `status`. */
export type Job = QueuedJob | ProcessingJob | CompletedJob | FailedJob;
export type JobRow = Schemas['JobRow'];
export type Segment = Schemas['Segment'];
export type Pagination = Schemas['Pagination'];
export type Session = Schemas['Session'];
export type ApiKey = Schemas['ApiKey'];
export type CreatedApiKey = Schemas['CreatedApiKey'];
export type Connection = Schemas['Connection'];
export type ConnectionTest = Schemas['ConnectionTest'];
export type Account = Schemas['Account'];
export type Export = Schemas['Export'];
export type Plan = Schemas['Plan'];
export type BillingInfo = Schemas['BillingInfo'];
export type Invoice = Schemas['Invoice'];
export type Usage = Schemas['Usage'];
export type Delivery = Schemas['Delivery'];

/** What a webhook receives, once its signature has been verified; discriminated by its `type`. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];
