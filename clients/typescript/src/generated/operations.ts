// Made from the description of the API by `npm run generate -- client`. Changes are lost.
import type { Answer, Body, Query, Row } from '../operation-types.ts';
import { eachRow, MAX_PAGE_ROWS } from '../pages.ts';
import { type CallOptions, pathSegment, type Send } from '../request.ts';

/** Every operation of the API that answers with JSON. All of them throw AudiosplitError. */
export interface Operations {
  /**
   * Open an account
   *
   * Creates an account on the Free plan and signs it in. The number of accounts that a caller may create in an hour is limited.
   */
  register(body: Body<'register'>, options?: CallOptions): Promise<Answer<'register'>>;
  /**
   * Sign in
   *
   * Returns a pair of tokens for an address and its password. After too many wrong passwords by a caller for an address this caller must wait. After far more by other callers, the password alone is accepted only where the account has signed in from here in 90 days; elsewhere a link is mailed. With a second factor a `code` is needed as well.
   */
  login(body: Body<'login'>, options?: CallOptions): Promise<Answer<'login'>>;
  /**
   * Sign in with a mailed link
   *
   * The token works once, for 30 minutes.
   */
  loginByLink(body: Body<'loginByLink'>, options?: CallOptions): Promise<Answer<'loginByLink'>>;
  /**
   * Renew the tokens
   *
   * A refresh token works once. Using it a second time ends its session, unless the same client does so within 10 seconds: of concurrent requests one succeeds, and the new token stays valid.
   */
  refreshSession(body: Body<'refreshSession'>, options?: CallOptions): Promise<Answer<'refreshSession'>>;
  /**
   * Sign out
   *
   * Ends the session: the refresh token with all its successors, and its access tokens.
   */
  logout(body: Body<'logout'>, options?: CallOptions): Promise<Answer<'logout'>>;
  /**
   * Create an API key
   *
   * The secret is shown in this response only. Without `scopes` the key may read and write splits and manage keys; `connections:manage` must be requested.
   */
  createApiKey(body: Body<'createApiKey'>, options?: CallOptions): Promise<Answer<'createApiKey'>>;
  /**
   * List API keys
   *
   * Shows previews only; secrets cannot be read back.
   */
  listApiKeys(query?: Query<'listApiKeys'>, options?: CallOptions): Promise<Answer<'listApiKeys'>>;
  /**
   * List API keys, row by row
   *
   * Pages are read as the rows are asked for.
   */
  eachApiKey(query?: Omit<Query<'listApiKeys'>, 'page'>, options?: CallOptions): AsyncGenerator<Row<'listApiKeys'>, void>;
  /**
   * Change an API key
   *
   * Only the given fields change; `expiresAt: null` removes the expiry.
   */
  updateApiKey(keyId: string, body?: Body<'updateApiKey'>, options?: CallOptions): Promise<Answer<'updateApiKey'>>;
  /**
   * Read an API key
   */
  getApiKey(keyId: string, options?: CallOptions): Promise<Answer<'getApiKey'>>;
  /**
   * Revoke an API key
   *
   * The key is refused everywhere within a second.
   */
  revokeApiKey(keyId: string, options?: CallOptions): Promise<Answer<'revokeApiKey'>>;
  /**
   * Give an API key a new secret
   *
   * The new secret is shown in this response only.
   */
  rotateApiKey(keyId: string, body?: Body<'rotateApiKey'>, options?: CallOptions): Promise<Answer<'rotateApiKey'>>;
  /**
   * Split an audio file
   *
   * Accepts the job and returns at once; read the job later for its segments. Without `outputFormat` the codec of the source decides: AAC becomes `aac`, Opus and Vorbis become `ogg`, FLAC, ALAC, WavPack, TTA and WMA lossless become `flac`, PCM becomes `wav`, all others become `mp3`. Lossless audio stays lossless, and audio that can be copied is not encoded again.
   */
  createSplit(body: Body<'createSplit'>, options?: CallOptions): Promise<Answer<'createSplit'>>;
  /**
   * List jobs
   */
  listSplits(query?: Query<'listSplits'>, options?: CallOptions): Promise<Answer<'listSplits'>>;
  /**
   * List jobs, row by row
   *
   * Pages are read as the rows are asked for.
   */
  eachSplit(query?: Omit<Query<'listSplits'>, 'page'>, options?: CallOptions): AsyncGenerator<Row<'listSplits'>, void>;
  /**
   * Read a job
   *
   * The fields depend on the status. Each read returns new download links.
   */
  getSplit(jobId: string, options?: CallOptions): Promise<Answer<'getSplit'>>;
  /**
   * Delete a job
   *
   * Removes the job and all its segments permanently. A running job cannot be deleted.
   */
  deleteSplit(jobId: string, options?: CallOptions): Promise<Answer<'deleteSplit'>>;
  /**
   * Stop a job
   *
   * A queued or running job fails with CANCELED.
   */
  cancelSplit(jobId: string, options?: CallOptions): Promise<Answer<'cancelSplit'>>;
  /**
   * Search jobs
   *
   * Jobs by name, link or id, newest first. A call reads a bounded number of jobs, so it takes as long with ten million of them as with a few; `nextPageToken` goes on from there.
   */
  searchSplits(query: Query<'searchSplits'>, options?: CallOptions): Promise<Answer<'searchSplits'>>;
  /**
   * Read the waveform of a job
   *
   * The sound of a completed job over the length of its source, drawn from its segments: what lies in none of them is flat. That of a dry run is drawn from its source: of an upload likewise, of a link by the dry run itself, but where that reads no more than a part of it. It is drawn when it is first asked for, once jobs leave room; until then the answer is 202 with `Retry-After`. It is kept as long as the segments, costs no minutes, and takes no place of a job. Of an account one is drawn at a time.
   */
  getSplitWaveform(jobId: string, query?: Query<'getSplitWaveform'>, options?: CallOptions): Promise<Answer<'getSplitWaveform'>>;
  /**
   * Split many audio files
   *
   * Creates a job for each source, all with the same settings. Sources are not checked before: a job whose source is not available fails with the reason, and the others continue. Either all jobs fit into the queue of the account, or none is created. A batch counts as many requests as it has sources; it may exceed what is left of the minute.
   */
  createBatch(body: Body<'createBatch'>, options?: CallOptions): Promise<Answer<'createBatch'>>;
  /**
   * Read a batch
   *
   * The number of its jobs in each status. `GET /api/v1/splits?batchId=` lists them.
   */
  getBatch(batchId: string, options?: CallOptions): Promise<Answer<'getBatch'>>;
  /**
   * Stop a batch
   *
   * Its queued and running jobs fail with CANCELED.
   */
  cancelBatch(batchId: string, options?: CallOptions): Promise<Answer<'cancelBatch'>>;
  /**
   * Try failed jobs again
   *
   * Replaces each job of the batch that has failed, but was not canceled, by a new job with the same request. The failed one leaves the batch and stays in the list of jobs.
   */
  retryBatch(batchId: string, options?: CallOptions): Promise<Answer<'retryBatch'>>;
  /**
   * List presets
   *
   * Named settings of a split: those of the account, and those available to every account.
   */
  listPresets(options?: CallOptions): Promise<Answer<'listPresets'>>;
  /**
   * Save a preset
   *
   * A preset with the same name gets the new settings and keeps its id.
   */
  savePreset(body: Body<'savePreset'>, options?: CallOptions): Promise<Answer<'savePreset'>>;
  /**
   * Delete a preset
   */
  deletePreset(presetId: string, options?: CallOptions): Promise<Answer<'deletePreset'>>;
  /**
   * Connect a bucket
   *
   * Only the address of the endpoint is checked, which must be one that is allowed for sources.
   */
  createConnection(body: Body<'createConnection'>, options?: CallOptions): Promise<Answer<'createConnection'>>;
  /**
   * List connections
   */
  listConnections(options?: CallOptions): Promise<Answer<'listConnections'>>;
  /**
   * Delete a connection
   *
   * The objects in the bucket stay. Refused while an unfinished job uses the connection.
   */
  deleteConnection(connectionId: string, options?: CallOptions): Promise<Answer<'deleteConnection'>>;
  /**
   * Try a connection
   *
   * Lists objects, writes a small one, reads it and deletes it, in 10 s at most. If nothing can be written, another object is read, if there is one.
   */
  testConnection(connectionId: string, options?: CallOptions): Promise<Answer<'testConnection'>>;
  /**
   * Send a source file
   *
   * For files without a public URL: PUT the file to one link, and use the other as the source of a split. Uploads in progress and bytes that no job uses yet are limited by the plan.
   */
  createUpload(body?: Body<'createUpload'>, options?: CallOptions): Promise<Answer<'createUpload'>>;
  /**
   * Begin to send a file in parts
   *
   * Creates an upload by the protocol tus 1.0, for files that may break off on their way: any tus client sends it, in parts of 8 MiB, and goes on where it broke off for 24 hours. The request has the headers `Tus-Resumable: 1.0.0` and `Upload-Length`, maybe `Upload-Metadata` with `filename` and `filetype`, and no body. The address of the upload is in `Location`, and that of the file in `Upload-Source-Url` of every answer.
   */
  createResumableUpload(options?: CallOptions): Promise<Answer<'createResumableUpload'>>;
  /**
   * Read the account
   */
  getAccount(options?: CallOptions): Promise<Answer<'getAccount'>>;
  /**
   * Delete the account
   *
   * API keys stop working at once. The account can be restored for 14 days; all its data is removed by the time in the response.
   */
  deleteAccount(body: Body<'deleteAccount'>, options?: CallOptions): Promise<Answer<'deleteAccount'>>;
  /**
   * Cancel the deletion
   */
  restoreAccount(options?: CallOptions): Promise<Answer<'restoreAccount'>>;
  /**
   * Export all data
   *
   * The file is created in the background; a webhook or a mail reports when it is ready.
   */
  createExport(body?: Body<'createExport'>, options?: CallOptions): Promise<Answer<'createExport'>>;
  /**
   * List exports
   */
  listExports(query?: Query<'listExports'>, options?: CallOptions): Promise<Answer<'listExports'>>;
  /**
   * List exports, row by row
   *
   * Pages are read as the rows are asked for.
   */
  eachExport(query?: Omit<Query<'listExports'>, 'page'>, options?: CallOptions): AsyncGenerator<Row<'listExports'>, void>;
  /**
   * Read an export
   */
  getExport(exportId: string, options?: CallOptions): Promise<Answer<'getExport'>>;
  /**
   * Request a link to reset the password
   *
   * Mails a link to the address if it has an account, at most once in five minutes. The response is the same for any address.
   */
  forgotPassword(body: Body<'forgotPassword'>, options?: CallOptions): Promise<Answer<'forgotPassword'>>;
  /**
   * Reset the password with a mailed link
   *
   * All sessions end, with their access tokens; API keys still work. The link proves that the address is the holder's, so it counts as verified.
   */
  resetPassword(body: Body<'resetPassword'>, options?: CallOptions): Promise<Answer<'resetPassword'>>;
  /**
   * Verify an address with a mailed link
   *
   * A new address then replaces the old one.
   */
  verifyEmail(body: Body<'verifyEmail'>, options?: CallOptions): Promise<Answer<'verifyEmail'>>;
  /**
   * Read how the account signs in
   */
  getSecurity(options?: CallOptions): Promise<Answer<'getSecurity'>>;
  /**
   * Change the password
   *
   * All other sessions end, with their access tokens; API keys still work. A wrong `current` is a 400, and counts as a wrong password at a sign-in: after too many, even the right one is refused for a while.
   */
  changePassword(body: Body<'changePassword'>, options?: CallOptions): Promise<Answer<'changePassword'>>;
  /**
   * Change the mail address
   *
   * Mails a link to the new address and a notice to the present one. The address changes once the link is opened. The response is the same if the new address already has an account.
   */
  changeEmail(body: Body<'changeEmail'>, options?: CallOptions): Promise<Answer<'changeEmail'>>;
  /**
   * Mail the verification link again
   *
   * At most once in five minutes. Nothing is mailed if no address needs verification.
   */
  requestVerification(options?: CallOptions): Promise<Answer<'requestVerification'>>;
  /**
   * Begin a second factor
   *
   * Returns a secret for an authenticator app: RFC 6238 with SHA-1, six digits, 30 seconds. It takes effect once a code of it is confirmed; calling this again replaces it.
   */
  beginSecondFactor(body: Body<'beginSecondFactor'>, options?: CallOptions): Promise<Answer<'beginSecondFactor'>>;
  /**
   * Turn the second factor off
   */
  removeSecondFactor(body: Body<'removeSecondFactor'>, options?: CallOptions): Promise<Answer<'removeSecondFactor'>>;
  /**
   * Turn the second factor on
   *
   * From then on signing in takes a `code`. The recovery codes are given here alone. A code of a clock that is some minutes off is refused, and the message says by how much.
   */
  confirmSecondFactor(body: Body<'confirmSecondFactor'>, options?: CallOptions): Promise<Answer<'confirmSecondFactor'>>;
  /**
   * Replace the recovery codes
   *
   * All earlier ones end.
   */
  renewRecoveryCodes(body: Body<'renewRecoveryCodes'>, options?: CallOptions): Promise<Answer<'renewRecoveryCodes'>>;
  /**
   * List sessions
   *
   * Where the account is signed in, those used last first; at most 100.
   */
  listSessions(options?: CallOptions): Promise<Answer<'listSessions'>>;
  /**
   * End all other sessions
   *
   * The session of this call continues.
   */
  endOtherSessions(options?: CallOptions): Promise<Answer<'endOtherSessions'>>;
  /**
   * End a session
   *
   * Its refresh and access tokens end within a second.
   */
  endSession(sessionId: string, options?: CallOptions): Promise<Answer<'endSession'>>;
  /**
   * List the plans
   */
  listPlans(options?: CallOptions): Promise<Answer<'listPlans'>>;
  /**
   * Subscribe to a plan
   *
   * Charges the payment method on file for the first period.
   */
  subscribe(body: Body<'subscribe'>, options?: CallOptions): Promise<Answer<'subscribe'>>;
  /**
   * Change the plan
   *
   * A higher plan applies at once, for a charge for the rest of the period. A lower one begins with the next period; until then, choosing the current plan again cancels the change.
   */
  changePlan(body: Body<'changePlan'>, options?: CallOptions): Promise<Answer<'changePlan'>>;
  /**
   * Cancel the subscription
   *
   * Ends it with the current period, or now with `immediate`.
   */
  cancelSubscription(body?: Body<'cancelSubscription'>, options?: CallOptions): Promise<Answer<'cancelSubscription'>>;
  /**
   * Set the payment method
   *
   * Replaces the previous one.
   */
  setPaymentMethod(body: Body<'setPaymentMethod'>, options?: CallOptions): Promise<Answer<'setPaymentMethod'>>;
  /**
   * Remove the payment method
   */
  deletePaymentMethod(options?: CallOptions): Promise<Answer<'deletePaymentMethod'>>;
  /**
   * List invoices
   *
   * Newest first.
   */
  listInvoices(query?: Query<'listInvoices'>, options?: CallOptions): Promise<Answer<'listInvoices'>>;
  /**
   * List invoices, row by row
   *
   * Pages are read as the rows are asked for.
   */
  eachInvoice(query?: Omit<Query<'listInvoices'>, 'page'>, options?: CallOptions): AsyncGenerator<Row<'listInvoices'>, void>;
  /**
   * Pay an invoice
   *
   * Charges an invoice that is open or uncollectible now. Once the last debt of a subscription that had become `unpaid` is paid, the subscription becomes active again: for the rest of the period, or for a new one from now on, which is charged like a renewal.
   */
  payInvoice(invoiceId: string, options?: CallOptions): Promise<Answer<'payInvoice'>>;
  /**
   * Read the spend limit
   *
   * The maximum cost of minutes beyond the plan in a period; by default ten times the plan's price.
   */
  getSpendLimit(options?: CallOptions): Promise<Answer<'getSpendLimit'>>;
  /**
   * Set the spend limit
   *
   * It applies from now on, also on another plan.
   */
  setSpendLimit(body: Body<'setSpendLimit'>, options?: CallOptions): Promise<Answer<'setSpendLimit'>>;
  /**
   * Read plan, subscription and payment method
   */
  getBilling(options?: CallOptions): Promise<Answer<'getBilling'>>;
  /**
   * Read who is billed
   */
  getBillingProfile(options?: CallOptions): Promise<Answer<'getBillingProfile'>>;
  /**
   * Set who is billed
   *
   * Later invoices contain the company and its tax id. Those issued before do not change.
   */
  setBillingProfile(body: Body<'setBillingProfile'>, options?: CallOptions): Promise<Answer<'setBillingProfile'>>;
  /**
   * Read the usage of a period
   */
  getUsage(query?: Query<'getUsage'>, options?: CallOptions): Promise<Answer<'getUsage'>>;
  /**
   * Move the billing clock
   *
   * Advances the time of the account: renewals, invoices and charges that become due meanwhile are executed before the response. Only available with the sandbox as payment provider, which moves no money.
   */
  setSandboxClock(body: Body<'setSandboxClock'>, options?: CallOptions): Promise<Answer<'setSandboxClock'>>;
  /**
   * Set the endpoint of the account
   *
   * Notifications of all jobs and exports are sent there, in addition to the `webhookUrl` that each of them may have; where both are the same, once. So does what concerns the account.
   */
  setWebhookEndpoint(body: Body<'setWebhookEndpoint'>, options?: CallOptions): Promise<Answer<'setWebhookEndpoint'>>;
  /**
   * Read the endpoint of the account
   */
  getWebhookEndpoint(options?: CallOptions): Promise<Answer<'getWebhookEndpoint'>>;
  /**
   * Remove the endpoint of the account
   *
   * Pending notifications are still sent there.
   */
  deleteWebhookEndpoint(options?: CallOptions): Promise<Answer<'deleteWebhookEndpoint'>>;
  /**
   * Send a test notification
   *
   * Queues one signed `ping` to the endpoint of the account. It is sent once; the list of deliveries shows what became of it.
   */
  testWebhookEndpoint(options?: CallOptions): Promise<Answer<'testWebhookEndpoint'>>;
  /**
   * Read the signing secret
   *
   * Notifications are signed according to Standard Webhooks 1.0.
   */
  getWebhookSecret(options?: CallOptions): Promise<Answer<'getWebhookSecret'>>;
  /**
   * Replace the signing secret
   *
   * For 24 hours notifications carry a signature with the old secret and one with the new.
   */
  rotateWebhookSecret(options?: CallOptions): Promise<Answer<'rotateWebhookSecret'>>;
  /**
   * List deliveries
   *
   * Newest first, each with the attempts made so far.
   */
  listDeliveries(query?: Query<'listDeliveries'>, options?: CallOptions): Promise<Answer<'listDeliveries'>>;
  /**
   * List deliveries, row by row
   *
   * Pages are read as the rows are asked for.
   */
  eachDelivery(query?: Omit<Query<'listDeliveries'>, 'page'>, options?: CallOptions): AsyncGenerator<Row<'listDeliveries'>, void>;
  /**
   * Deliver again
   *
   * Queues the same notification again, with the same id.
   */
  replayDelivery(deliveryId: string, options?: CallOptions): Promise<Answer<'replayDelivery'>>;
}

export function createOperations(send: Send): Operations {
  const operations: Operations = {
    register: (body, options) => send({ method: 'POST', path: '/api/v1/auth/register', credentials: [], body }, options),
    login: (body, options) => send({ method: 'POST', path: '/api/v1/auth/login', credentials: [], body }, options),
    loginByLink: (body, options) => send({ method: 'POST', path: '/api/v1/auth/login/link', credentials: [], body }, options),
    refreshSession: (body, options) => send({ method: 'POST', path: '/api/v1/auth/refresh', credentials: [], body }, options),
    logout: (body, options) => send({ method: 'POST', path: '/api/v1/auth/logout', credentials: [], body }, options),
    createApiKey: (body, options) => send({ method: 'POST', path: '/api/v1/api-keys', credentials: ['accessToken'], body }, options),
    listApiKeys: (query, options) => send({ method: 'GET', path: '/api/v1/api-keys', credentials: ['accessToken', 'apiKey'], query }, options),
    eachApiKey: (query, options) => eachRow((page) => operations.listApiKeys({ limit: MAX_PAGE_ROWS, ...query, page }, options)),
    updateApiKey: (keyId, body = {}, options) => send({ method: 'PATCH', path: `/api/v1/api-keys/${pathSegment(keyId)}`, credentials: ['accessToken'], body }, options),
    getApiKey: (keyId, options) => send({ method: 'GET', path: `/api/v1/api-keys/${pathSegment(keyId)}`, credentials: ['accessToken', 'apiKey'] }, options),
    revokeApiKey: (keyId, options) => send({ method: 'DELETE', path: `/api/v1/api-keys/${pathSegment(keyId)}`, credentials: ['accessToken', 'apiKey'] }, options),
    rotateApiKey: (keyId, body = {}, options) => send({ method: 'POST', path: `/api/v1/api-keys/${pathSegment(keyId)}/rotate`, credentials: ['accessToken', 'apiKey'], body }, options),
    createSplit: (body, options) => send({ method: 'POST', path: '/api/v1/splits', credentials: ['apiKey'], body }, options),
    listSplits: (query, options) => send({ method: 'GET', path: '/api/v1/splits', credentials: ['apiKey'], query }, options),
    eachSplit: (query, options) => eachRow((page) => operations.listSplits({ limit: MAX_PAGE_ROWS, ...query, page }, options)),
    getSplit: (jobId, options) => send({ method: 'GET', path: `/api/v1/splits/${pathSegment(jobId)}`, credentials: ['apiKey'] }, options),
    deleteSplit: (jobId, options) => send({ method: 'DELETE', path: `/api/v1/splits/${pathSegment(jobId)}`, credentials: ['apiKey'] }, options),
    cancelSplit: (jobId, options) => send({ method: 'POST', path: `/api/v1/splits/${pathSegment(jobId)}/cancel`, credentials: ['apiKey'], body: {} }, options),
    searchSplits: (query, options) => send({ method: 'GET', path: '/api/v1/splits/search', credentials: ['apiKey'], query }, options),
    getSplitWaveform: (jobId, query, options) => send({ method: 'GET', path: `/api/v1/splits/${pathSegment(jobId)}/waveform`, credentials: ['apiKey'], query }, options),
    createBatch: (body, options) => send({ method: 'POST', path: '/api/v1/batches', credentials: ['apiKey'], body }, options),
    getBatch: (batchId, options) => send({ method: 'GET', path: `/api/v1/batches/${pathSegment(batchId)}`, credentials: ['apiKey'] }, options),
    cancelBatch: (batchId, options) => send({ method: 'POST', path: `/api/v1/batches/${pathSegment(batchId)}/cancel`, credentials: ['apiKey'], body: {} }, options),
    retryBatch: (batchId, options) => send({ method: 'POST', path: `/api/v1/batches/${pathSegment(batchId)}/retry`, credentials: ['apiKey'], body: {} }, options),
    listPresets: (options) => send({ method: 'GET', path: '/api/v1/presets', credentials: ['apiKey'] }, options),
    savePreset: (body, options) => send({ method: 'POST', path: '/api/v1/presets', credentials: ['apiKey'], body }, options),
    deletePreset: (presetId, options) => send({ method: 'DELETE', path: `/api/v1/presets/${pathSegment(presetId)}`, credentials: ['apiKey'] }, options),
    createConnection: (body, options) => send({ method: 'POST', path: '/api/v1/connections', credentials: ['accessToken', 'apiKey'], body }, options),
    listConnections: (options) => send({ method: 'GET', path: '/api/v1/connections', credentials: ['accessToken', 'apiKey'] }, options),
    deleteConnection: (connectionId, options) => send({ method: 'DELETE', path: `/api/v1/connections/${pathSegment(connectionId)}`, credentials: ['accessToken', 'apiKey'] }, options),
    testConnection: (connectionId, options) => send({ method: 'POST', path: `/api/v1/connections/${pathSegment(connectionId)}/test`, credentials: ['accessToken', 'apiKey'], body: {} }, options),
    createUpload: (body = {}, options) => send({ method: 'POST', path: '/api/v1/uploads', credentials: ['apiKey'], body }, options),
    createResumableUpload: (options) => send({ method: 'POST', path: '/api/v1/uploads/tus', credentials: ['apiKey'] }, options),
    getAccount: (options) => send({ method: 'GET', path: '/api/v1/account', credentials: ['accessToken'] }, options),
    deleteAccount: (body, options) => send({ method: 'DELETE', path: '/api/v1/account', credentials: ['accessToken'], body }, options),
    restoreAccount: (options) => send({ method: 'POST', path: '/api/v1/account/restore', credentials: ['accessToken'] }, options),
    createExport: (body = {}, options) => send({ method: 'POST', path: '/api/v1/account/export', credentials: ['accessToken'], body }, options),
    listExports: (query, options) => send({ method: 'GET', path: '/api/v1/account/exports', credentials: ['accessToken'], query }, options),
    eachExport: (query, options) => eachRow((page) => operations.listExports({ limit: MAX_PAGE_ROWS, ...query, page }, options)),
    getExport: (exportId, options) => send({ method: 'GET', path: `/api/v1/account/exports/${pathSegment(exportId)}`, credentials: ['accessToken'] }, options),
    forgotPassword: (body, options) => send({ method: 'POST', path: '/api/v1/auth/password/forgot', credentials: [], body }, options),
    resetPassword: (body, options) => send({ method: 'POST', path: '/api/v1/auth/password/reset', credentials: [], body }, options),
    verifyEmail: (body, options) => send({ method: 'POST', path: '/api/v1/auth/verify', credentials: [], body }, options),
    getSecurity: (options) => send({ method: 'GET', path: '/api/v1/account/security', credentials: ['accessToken'] }, options),
    changePassword: (body, options) => send({ method: 'PUT', path: '/api/v1/account/password', credentials: ['accessToken'], body }, options),
    changeEmail: (body, options) => send({ method: 'PUT', path: '/api/v1/account/email', credentials: ['accessToken'], body }, options),
    requestVerification: (options) => send({ method: 'POST', path: '/api/v1/account/email/verification', credentials: ['accessToken'] }, options),
    beginSecondFactor: (body, options) => send({ method: 'POST', path: '/api/v1/account/second-factor', credentials: ['accessToken'], body }, options),
    removeSecondFactor: (body, options) => send({ method: 'DELETE', path: '/api/v1/account/second-factor', credentials: ['accessToken'], body }, options),
    confirmSecondFactor: (body, options) => send({ method: 'POST', path: '/api/v1/account/second-factor/confirm', credentials: ['accessToken'], body }, options),
    renewRecoveryCodes: (body, options) => send({ method: 'POST', path: '/api/v1/account/second-factor/recovery-codes', credentials: ['accessToken'], body }, options),
    listSessions: (options) => send({ method: 'GET', path: '/api/v1/account/sessions', credentials: ['accessToken'] }, options),
    endOtherSessions: (options) => send({ method: 'DELETE', path: '/api/v1/account/sessions', credentials: ['accessToken'] }, options),
    endSession: (sessionId, options) => send({ method: 'DELETE', path: `/api/v1/account/sessions/${pathSegment(sessionId)}`, credentials: ['accessToken'] }, options),
    listPlans: (options) => send({ method: 'GET', path: '/api/v1/plans', credentials: [] }, options),
    subscribe: (body, options) => send({ method: 'POST', path: '/api/v1/billing/subscribe', credentials: ['accessToken'], body }, options),
    changePlan: (body, options) => send({ method: 'POST', path: '/api/v1/billing/change-plan', credentials: ['accessToken'], body }, options),
    cancelSubscription: (body = {}, options) => send({ method: 'POST', path: '/api/v1/billing/cancel', credentials: ['accessToken'], body }, options),
    setPaymentMethod: (body, options) => send({ method: 'PUT', path: '/api/v1/billing/payment-method', credentials: ['accessToken'], body }, options),
    deletePaymentMethod: (options) => send({ method: 'DELETE', path: '/api/v1/billing/payment-method', credentials: ['accessToken'] }, options),
    listInvoices: (query, options) => send({ method: 'GET', path: '/api/v1/billing/invoices', credentials: ['accessToken'], query }, options),
    eachInvoice: (query, options) => eachRow((page) => operations.listInvoices({ limit: MAX_PAGE_ROWS, ...query, page }, options)),
    payInvoice: (invoiceId, options) => send({ method: 'POST', path: `/api/v1/billing/invoices/${pathSegment(invoiceId)}/pay`, credentials: ['accessToken'] }, options),
    getSpendLimit: (options) => send({ method: 'GET', path: '/api/v1/billing/spend-limit', credentials: ['accessToken'] }, options),
    setSpendLimit: (body, options) => send({ method: 'PUT', path: '/api/v1/billing/spend-limit', credentials: ['accessToken'], body }, options),
    getBilling: (options) => send({ method: 'GET', path: '/api/v1/billing', credentials: ['accessToken'] }, options),
    getBillingProfile: (options) => send({ method: 'GET', path: '/api/v1/billing/profile', credentials: ['accessToken'] }, options),
    setBillingProfile: (body, options) => send({ method: 'PUT', path: '/api/v1/billing/profile', credentials: ['accessToken'], body }, options),
    getUsage: (query, options) => send({ method: 'GET', path: '/api/v1/billing/usage', credentials: ['accessToken'], query }, options),
    setSandboxClock: (body, options) => send({ method: 'PUT', path: '/api/v1/sandbox/clock', credentials: ['accessToken'], body }, options),
    setWebhookEndpoint: (body, options) => send({ method: 'PUT', path: '/api/v1/webhooks/endpoint', credentials: ['accessToken'], body }, options),
    getWebhookEndpoint: (options) => send({ method: 'GET', path: '/api/v1/webhooks/endpoint', credentials: ['accessToken'] }, options),
    deleteWebhookEndpoint: (options) => send({ method: 'DELETE', path: '/api/v1/webhooks/endpoint', credentials: ['accessToken'] }, options),
    testWebhookEndpoint: (options) => send({ method: 'POST', path: '/api/v1/webhooks/test', credentials: ['accessToken'] }, options),
    getWebhookSecret: (options) => send({ method: 'GET', path: '/api/v1/webhooks/secret', credentials: ['accessToken'] }, options),
    rotateWebhookSecret: (options) => send({ method: 'POST', path: '/api/v1/webhooks/secret/rotate', credentials: ['accessToken'] }, options),
    listDeliveries: (query, options) => send({ method: 'GET', path: '/api/v1/webhooks/deliveries', credentials: ['accessToken'], query }, options),
    eachDelivery: (query, options) => eachRow((page) => operations.listDeliveries({ limit: MAX_PAGE_ROWS, ...query, page }, options)),
    replayDelivery: (deliveryId, options) => send({ method: 'POST', path: `/api/v1/webhooks/deliveries/${pathSegment(deliveryId)}/replay`, credentials: ['accessToken'] }, options),
  };
  return operations;
}
