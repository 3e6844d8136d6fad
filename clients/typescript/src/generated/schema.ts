// Made from the description of the API by `npm run generate -- client`. Changes are lost.
export interface paths {
    readonly "/api/v1/auth/register": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Open an account
         * @description Creates an account on the Free plan and signs it in. The number of accounts that a caller may create in an hour is limited.
         */
        readonly post: operations["register"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in
         * @description Returns a pair of tokens for an address and its password. After too many wrong passwords by a caller for an address this caller must wait. After far more by other callers, the password alone is accepted only where the account has signed in from here in 90 days; elsewhere a link is mailed. With a second factor a `code` is needed as well.
         */
        readonly post: operations["login"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/login/link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in with a mailed link
         * @description The token works once, for 30 minutes.
         */
        readonly post: operations["loginByLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/refresh": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Renew the tokens
         * @description A refresh token works once. Using it a second time ends its session, unless the same client does so within 10 seconds: of concurrent requests one succeeds, and the new token stays valid.
         */
        readonly post: operations["refreshSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign out
         * @description Ends the session: the refresh token with all its successors, and its access tokens.
         */
        readonly post: operations["logout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List API keys
         * @description Shows previews only; secrets cannot be read back.
         */
        readonly get: operations["listApiKeys"];
        readonly put?: never;
        /**
         * Create an API key
         * @description The secret is shown in this response only. Without `scopes` the key may read and write splits and manage keys; `connections:manage` must be requested.
         */
        readonly post: operations["createApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{keyId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read an API key */
        readonly get: operations["getApiKey"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke an API key
         * @description The key is refused everywhere within a second.
         */
        readonly delete: operations["revokeApiKey"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change an API key
         * @description Only the given fields change; `expiresAt: null` removes the expiry.
         */
        readonly patch: operations["updateApiKey"];
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{keyId}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give an API key a new secret
         * @description The new secret is shown in this response only.
         */
        readonly post: operations["rotateApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/splits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List jobs */
        readonly get: operations["listSplits"];
        readonly put?: never;
        /**
         * Split an audio file
         * @description Accepts the job and returns at once; read the job later for its segments. Without `outputFormat` the codec of the source decides: AAC becomes `aac`, Opus and Vorbis become `ogg`, FLAC, ALAC, WavPack, TTA and WMA lossless become `flac`, PCM becomes `wav`, all others become `mp3`. Lossless audio stays lossless, and audio that can be copied is not encoded again.
         */
        readonly post: operations["createSplit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/splits/{jobId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a job
         * @description The fields depend on the status. Each read returns new download links.
         */
        readonly get: operations["getSplit"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a job
         * @description Removes the job and all its segments permanently. A running job cannot be deleted.
         */
        readonly delete: operations["deleteSplit"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/splits/{jobId}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Stop a job
         * @description A queued or running job fails with CANCELED.
         */
        readonly post: operations["cancelSplit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/splits/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Search jobs
         * @description Jobs by name, link or id, newest first. A call reads a bounded number of jobs, so it takes as long with ten million of them as with a few; `nextPageToken` goes on from there.
         */
        readonly get: operations["searchSplits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/splits/{jobId}/waveform": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the waveform of a job
         * @description The sound of a completed job over the length of its source, drawn from its segments: what lies in none of them is flat. That of a dry run is drawn from its source: of an upload likewise, of a link by the dry run itself, but where that reads no more than a part of it. It is drawn when it is first asked for, once jobs leave room; until then the answer is 202 with `Retry-After`. It is kept as long as the segments, costs no minutes, and takes no place of a job. Of an account one is drawn at a time.
         */
        readonly get: operations["getSplitWaveform"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/batches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Split many audio files
         * @description Creates a job for each source, all with the same settings. Sources are not checked before: a job whose source is not available fails with the reason, and the others continue. Either all jobs fit into the queue of the account, or none is created. A batch counts as many requests as it has sources; it may exceed what is left of the minute.
         */
        readonly post: operations["createBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/batches/{batchId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a batch
         * @description The number of its jobs in each status. `GET /api/v1/splits?batchId=` lists them.
         */
        readonly get: operations["getBatch"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/batches/{batchId}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Stop a batch
         * @description Its queued and running jobs fail with CANCELED.
         */
        readonly post: operations["cancelBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/batches/{batchId}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Try failed jobs again
         * @description Replaces each job of the batch that has failed, but was not canceled, by a new job with the same request. The failed one leaves the batch and stays in the list of jobs.
         */
        readonly post: operations["retryBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/presets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List presets
         * @description Named settings of a split: those of the account, and those available to every account.
         */
        readonly get: operations["listPresets"];
        readonly put?: never;
        /**
         * Save a preset
         * @description A preset with the same name gets the new settings and keeps its id.
         */
        readonly post: operations["savePreset"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/presets/{presetId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Delete a preset */
        readonly delete: operations["deletePreset"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/connections": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List connections */
        readonly get: operations["listConnections"];
        readonly put?: never;
        /**
         * Connect a bucket
         * @description Only the address of the endpoint is checked, which must be one that is allowed for sources.
         */
        readonly post: operations["createConnection"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/connections/{connectionId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a connection
         * @description The objects in the bucket stay. Refused while an unfinished job uses the connection.
         */
        readonly delete: operations["deleteConnection"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/connections/{connectionId}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Try a connection
         * @description Lists objects, writes a small one, reads it and deletes it, in 10 s at most. If nothing can be written, another object is read, if there is one.
         */
        readonly post: operations["testConnection"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/uploads": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a source file
         * @description For files without a public URL: PUT the file to one link, and use the other as the source of a split. Uploads in progress and bytes that no job uses yet are limited by the plan.
         */
        readonly post: operations["createUpload"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/uploads/tus": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begin to send a file in parts
         * @description Creates an upload by the protocol tus 1.0, for files that may break off on their way: any tus client sends it, in parts of 8 MiB, and goes on where it broke off for 24 hours. The request has the headers `Tus-Resumable: 1.0.0` and `Upload-Length`, maybe `Upload-Metadata` with `filename` and `filetype`, and no body. The address of the upload is in `Location`, and that of the file in `Upload-Source-Url` of every answer.
         */
        readonly post: operations["createResumableUpload"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the account */
        readonly get: operations["getAccount"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete the account
         * @description API keys stop working at once. The account can be restored for 14 days; all its data is removed by the time in the response.
         */
        readonly delete: operations["deleteAccount"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Cancel the deletion */
        readonly post: operations["restoreAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Export all data
         * @description The file is created in the background; a webhook or a mail reports when it is ready.
         */
        readonly post: operations["createExport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/exports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List exports */
        readonly get: operations["listExports"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/exports/{exportId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read an export */
        readonly get: operations["getExport"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/password/forgot": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Request a link to reset the password
         * @description Mails a link to the address if it has an account, at most once in five minutes. The response is the same for any address.
         */
        readonly post: operations["forgotPassword"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/password/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reset the password with a mailed link
         * @description All sessions end, with their access tokens; API keys still work. The link proves that the address is the holder's, so it counts as verified.
         */
        readonly post: operations["resetPassword"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Verify an address with a mailed link
         * @description A new address then replaces the old one.
         */
        readonly post: operations["verifyEmail"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/security": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read how the account signs in */
        readonly get: operations["getSecurity"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Change the password
         * @description All other sessions end, with their access tokens; API keys still work. A wrong `current` is a 400, and counts as a wrong password at a sign-in: after too many, even the right one is refused for a while.
         */
        readonly put: operations["changePassword"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/email": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Change the mail address
         * @description Mails a link to the new address and a notice to the present one. The address changes once the link is opened. The response is the same if the new address already has an account.
         */
        readonly put: operations["changeEmail"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/email/verification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mail the verification link again
         * @description At most once in five minutes. Nothing is mailed if no address needs verification.
         */
        readonly post: operations["requestVerification"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/second-factor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begin a second factor
         * @description Returns a secret for an authenticator app: RFC 6238 with SHA-1, six digits, 30 seconds. It takes effect once a code of it is confirmed; calling this again replaces it.
         */
        readonly post: operations["beginSecondFactor"];
        /** Turn the second factor off */
        readonly delete: operations["removeSecondFactor"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/second-factor/confirm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Turn the second factor on
         * @description From then on signing in takes a `code`. The recovery codes are given here alone. A code of a clock that is some minutes off is refused, and the message says by how much.
         */
        readonly post: operations["confirmSecondFactor"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/second-factor/recovery-codes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace the recovery codes
         * @description All earlier ones end.
         */
        readonly post: operations["renewRecoveryCodes"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List sessions
         * @description Where the account is signed in, those used last first; at most 100.
         */
        readonly get: operations["listSessions"];
        readonly put?: never;
        readonly post?: never;
        /**
         * End all other sessions
         * @description The session of this call continues.
         */
        readonly delete: operations["endOtherSessions"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/account/sessions/{sessionId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * End a session
         * @description Its refresh and access tokens end within a second.
         */
        readonly delete: operations["endSession"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/plans": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the plans */
        readonly get: operations["listPlans"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/subscribe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Subscribe to a plan
         * @description Charges the payment method on file for the first period.
         */
        readonly post: operations["subscribe"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/change-plan": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Change the plan
         * @description A higher plan applies at once, for a charge for the rest of the period. A lower one begins with the next period; until then, choosing the current plan again cancels the change.
         */
        readonly post: operations["changePlan"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel the subscription
         * @description Ends it with the current period, or now with `immediate`.
         */
        readonly post: operations["cancelSubscription"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/payment-method": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Set the payment method
         * @description Replaces the previous one.
         */
        readonly put: operations["setPaymentMethod"];
        readonly post?: never;
        /** Remove the payment method */
        readonly delete: operations["deletePaymentMethod"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/invoices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List invoices
         * @description Newest first.
         */
        readonly get: operations["listInvoices"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/invoices/{invoiceId}/pay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Pay an invoice
         * @description Charges an invoice that is open or uncollectible now. Once the last debt of a subscription that had become `unpaid` is paid, the subscription becomes active again: for the rest of the period, or for a new one from now on, which is charged like a renewal.
         */
        readonly post: operations["payInvoice"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/spend-limit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the spend limit
         * @description The maximum cost of minutes beyond the plan in a period; by default ten times the plan's price.
         */
        readonly get: operations["getSpendLimit"];
        /**
         * Set the spend limit
         * @description It applies from now on, also on another plan.
         */
        readonly put: operations["setSpendLimit"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read plan, subscription and payment method */
        readonly get: operations["getBilling"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/profile": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read who is billed */
        readonly get: operations["getBillingProfile"];
        /**
         * Set who is billed
         * @description Later invoices contain the company and its tax id. Those issued before do not change.
         */
        readonly put: operations["setBillingProfile"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the usage of a period */
        readonly get: operations["getUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox/clock": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Move the billing clock
         * @description Advances the time of the account: renewals, invoices and charges that become due meanwhile are executed before the response. Only available with the sandbox as payment provider, which moves no money.
         */
        readonly put: operations["setSandboxClock"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/endpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the endpoint of the account */
        readonly get: operations["getWebhookEndpoint"];
        /**
         * Set the endpoint of the account
         * @description Notifications of all jobs and exports are sent there, in addition to the `webhookUrl` that each of them may have; where both are the same, once. So does what concerns the account.
         */
        readonly put: operations["setWebhookEndpoint"];
        readonly post?: never;
        /**
         * Remove the endpoint of the account
         * @description Pending notifications are still sent there.
         */
        readonly delete: operations["deleteWebhookEndpoint"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test notification
         * @description Queues one signed `ping` to the endpoint of the account. It is sent once; the list of deliveries shows what became of it.
         */
        readonly post: operations["testWebhookEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the signing secret
         * @description Notifications are signed according to Standard Webhooks 1.0.
         */
        readonly get: operations["getWebhookSecret"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/secret/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace the signing secret
         * @description For 24 hours notifications carry a signature with the old secret and one with the new.
         */
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List deliveries
         * @description Newest first, each with the attempts made so far.
         */
        readonly get: operations["listDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/deliveries/{deliveryId}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deliver again
         * @description Queues the same notification again, with the same id.
         */
        readonly post: operations["replayDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly "split.processing": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A job has begun
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.split.processing"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "split.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A job has completed; reading it gives the links to its segments
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.split.completed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "split.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A job has failed
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.split.failed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "export.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A data export is ready; reading it gives the link to its file
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.export.completed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "export.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A data export has failed
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.export.failed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "usage.threshold": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * 80 or 100 percent of the minutes or of the spend limit are used; once each in a period
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.usage.threshold"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly ping: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A test of the endpoint of the account
         * @description Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard Webhooks 1.0 with the secret of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to tell a repetition.
         */
        readonly post: operations["on.ping"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        readonly Error: {
            readonly error: {
                /**
                 * @description What went wrong, for programs.
                 * @enum {string}
                 */
                readonly code: "INVALID_PARAMS" | "UNAUTHORIZED" | "QUOTA_EXCEEDED" | "PAYMENT_METHOD_REQUIRED" | "PAYMENT_FAILED" | "INVOICE_UNPAID" | "SPEND_LIMIT_REACHED" | "INVOICE_ALREADY_PAID" | "INVOICE_NOT_PAYABLE" | "INSUFFICIENT_SCOPE" | "SIGN_IN_LINK_SENT" | "ACCOUNT_PENDING_DELETION" | "ACCOUNT_SUSPENDED" | "EMAIL_NOT_VERIFIED" | "SECOND_FACTOR_REQUIRED" | "INVALID_SIGNATURE" | "DOWNLOAD_EXPIRED" | "UPLOAD_EXPIRED" | "UPLOAD_NOT_FOUND" | "NOT_FOUND" | "JOB_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "UPLOAD_TIMEOUT" | "UPLOAD_OFFSET_CONFLICT" | "TUS_VERSION_UNSUPPORTED" | "JOB_ALREADY_PROCESSING" | "JOB_ALREADY_FINISHED" | "JOB_NOT_COMPLETED" | "EMAIL_TAKEN" | "SECOND_FACTOR_ON" | "KEY_LIMIT_REACHED" | "CONNECTION_LIMIT_REACHED" | "CONNECTION_NAME_TAKEN" | "CONNECTION_IN_USE" | "CONNECTION_SECRET_LOST" | "PRESET_LIMIT_REACHED" | "ACTIVE_SUBSCRIPTION" | "ALREADY_SUBSCRIBED" | "NO_ACTIVE_SUBSCRIPTION" | "PLAN_UNCHANGED" | "PRICE_CHANGED" | "IDEMPOTENCY_IN_PROGRESS" | "ARCHIVE_TOO_LARGE" | "SEGMENTS_EXPIRED" | "FILE_TOO_LARGE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RANGE_NOT_SATISFIABLE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "QUEUE_FULL" | "UPLOAD_LIMIT_REACHED" | "TOO_MANY_STREAMS" | "EXPORT_TOO_FREQUENT" | "INTERNAL_ERROR" | "NOT_IMPLEMENTED" | "SERVICE_UNAVAILABLE";
                /** @description What went wrong, for people. */
                readonly message: string;
                /** @description The HTTP status once more. */
                readonly status: number;
                /** @description Seconds until the next request may pass. Only with RATE_LIMITED. */
                readonly retryAfter?: number;
                /** @description With INVALID_PARAMS: what is wrong with which field. */
                readonly details?: readonly {
                    readonly field: string;
                    readonly message: string;
                }[];
            };
        };
        readonly Pagination: {
            readonly page: number;
            readonly limit: number;
            /** @description Rows in all pages together. */
            readonly total: number;
            /** @description 0 when there are no rows. */
            readonly totalPages: number;
        };
        readonly Session: {
            readonly account: {
                readonly id: string;
                readonly email: string;
                readonly name: string;
                /**
                 * Format: date-time
                 * @description When the account was registered.
                 */
                readonly createdAt: string;
            };
            /** @description A JWT for the Authorization header. */
            readonly accessToken: string;
            /** @description Exchanges once for the next pair of tokens. */
            readonly refreshToken: string;
            /** @enum {string} */
            readonly tokenType: "Bearer";
            /** @description Seconds until the access token expires. */
            readonly expiresIn: number;
        };
        readonly JsonWebKeySet: {
            readonly keys: readonly {
                readonly [key: string]: unknown;
            }[];
        };
        readonly CreatedApiKey: {
            readonly id: string;
            readonly name: string;
            /** @description The secret. It is shown here and never again. */
            readonly key: string;
            readonly scopes: readonly string[];
            /**
             * Format: date-time
             * @description When the key was made.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When the key stops working; null for never.
             */
            readonly expiresAt: string | null;
        };
        readonly ApiKey: {
            readonly id: string;
            readonly name: string;
            /** @description Beginning and end of the secret. */
            readonly keyPreview: string;
            readonly scopes: readonly string[];
            /**
             * Format: date-time
             * @description Last use, to the minute; null before the first.
             */
            readonly lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description When the key was made.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When the key stops working; null for never.
             */
            readonly expiresAt: string | null;
            /**
             * Format: date-time
             * @description When the key last changed.
             */
            readonly updatedAt: string;
        };
        readonly ApiKeyList: {
            readonly data: readonly components["schemas"]["ApiKey"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly QueuedJob: {
            readonly id: string;
            /** @description Of the batch that it was created with. */
            readonly batchId?: string;
            /** @enum {string} */
            readonly status: "queued";
            /**
             * @description It waits for its turn.
             * @enum {string}
             */
            readonly phase: "waiting";
            /** @description Where the source was fetched. Values of the query, which may be secrets, are hidden. */
            readonly sourceUrl: string;
            /** @description Names of `sourceHeaders`; their values are not shown. */
            readonly sourceHeaderNames?: readonly string[];
            /**
             * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
             * @enum {string}
             */
            readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
            /** @description Seconds per segment; mode `duration`. */
            readonly segmentDuration?: number;
            /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
            readonly maxFileSize?: number;
            readonly silence?: components["schemas"]["SilenceOptions"];
            /** @description Chapters in ascending order, in place of the source's own; mode `chapters`. */
            readonly chapters?: readonly components["schemas"]["Chapter"][];
            /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`; mode `ranges`. */
            readonly ranges?: readonly components["schemas"]["Range"][];
            /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`; mode `ranges`. */
            readonly splitPoints?: readonly number[];
            /** @description Number of segments of equal length; mode `parts`. */
            readonly parts?: number;
            /** @description Seconds. No segment is longer; every mode. */
            readonly maxDuration?: number;
            readonly snapToSilence?: components["schemas"]["SnapToSilence"];
            /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
            readonly overlap?: number;
            readonly trim?: components["schemas"]["Trim"];
            /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first; every mode. */
            readonly audioTrack?: number | string;
            readonly encoding?: components["schemas"]["Encoding"];
            /**
             * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win; every mode.
             * @enum {string}
             */
            readonly preset?: "speech";
            /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`; every mode. */
            readonly fileName?: string;
            /** @description The same job without files: segments have times, names and sizes. It uses no quota; every mode. */
            readonly dryRun?: boolean;
            /** @description A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each segment then has its `location`. */
            readonly destination?: {
                /** @description Name or id of a connection of the account. */
                readonly connection: string;
                /** @description Folder below the prefix of the connection. */
                readonly prefix?: string;
            };
            /** @description With `destination`: false stores nothing with us, so that segments have no `downloadUrl`. */
            readonly keepCopy?: boolean;
            /**
             * @description Format of the segments.
             * @enum {string}
             */
            readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
            readonly webhookUrl?: string;
            /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the job was accepted.
             */
            readonly createdAt: string;
        };
        readonly ProcessingJob: {
            readonly id: string;
            /** @description Of the batch that it was created with. */
            readonly batchId?: string;
            /** @enum {string} */
            readonly status: "processing";
            /** @description Per cent. */
            readonly progress: number;
            /**
             * @description What is done with the job.
             * @enum {string}
             */
            readonly phase: "fetching" | "cutting" | "storing";
            /** @description While the source is being fetched. */
            readonly fetching?: {
                /** @description Number of bytes of the source fetched so far. */
                readonly fetchedBytes: number;
                /** @description Size of the source in bytes. Absent if its host does not state it. */
                readonly totalBytes?: number;
            };
            /** @description Where the source was fetched. Values of the query, which may be secrets, are hidden. */
            readonly sourceUrl: string;
            /** @description Names of `sourceHeaders`; their values are not shown. */
            readonly sourceHeaderNames?: readonly string[];
            /**
             * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
             * @enum {string}
             */
            readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
            /** @description Seconds per segment; mode `duration`. */
            readonly segmentDuration?: number;
            /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
            readonly maxFileSize?: number;
            readonly silence?: components["schemas"]["SilenceOptions"];
            /** @description Chapters in ascending order, in place of the source's own; mode `chapters`. */
            readonly chapters?: readonly components["schemas"]["Chapter"][];
            /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`; mode `ranges`. */
            readonly ranges?: readonly components["schemas"]["Range"][];
            /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`; mode `ranges`. */
            readonly splitPoints?: readonly number[];
            /** @description Number of segments of equal length; mode `parts`. */
            readonly parts?: number;
            /** @description Seconds. No segment is longer; every mode. */
            readonly maxDuration?: number;
            readonly snapToSilence?: components["schemas"]["SnapToSilence"];
            /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
            readonly overlap?: number;
            readonly trim?: components["schemas"]["Trim"];
            /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first; every mode. */
            readonly audioTrack?: number | string;
            readonly encoding?: components["schemas"]["Encoding"];
            /**
             * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win; every mode.
             * @enum {string}
             */
            readonly preset?: "speech";
            /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`; every mode. */
            readonly fileName?: string;
            /** @description The same job without files: segments have times, names and sizes. It uses no quota; every mode. */
            readonly dryRun?: boolean;
            /** @description A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each segment then has its `location`. */
            readonly destination?: {
                /** @description Name or id of a connection of the account. */
                readonly connection: string;
                /** @description Folder below the prefix of the connection. */
                readonly prefix?: string;
            };
            /** @description With `destination`: false stores nothing with us, so that segments have no `downloadUrl`. */
            readonly keepCopy?: boolean;
            /**
             * Format: date-time
             * @description When the job was accepted.
             */
            readonly createdAt: string;
        };
        readonly CompletedJob: {
            readonly id: string;
            /** @description Of the batch that it was created with. */
            readonly batchId?: string;
            /** @enum {string} */
            readonly status: "completed";
            /** @description Where the source was fetched. Values of the query, which may be secrets, are hidden. */
            readonly sourceUrl: string;
            /** @description Names of `sourceHeaders`; their values are not shown. */
            readonly sourceHeaderNames?: readonly string[];
            /**
             * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
             * @enum {string}
             */
            readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
            /** @description Seconds per segment; mode `duration`. */
            readonly segmentDuration?: number;
            /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
            readonly maxFileSize?: number;
            readonly silence?: components["schemas"]["SilenceOptions"];
            /** @description Chapters in ascending order, in place of the source's own; mode `chapters`. */
            readonly chapters?: readonly components["schemas"]["Chapter"][];
            /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`; mode `ranges`. */
            readonly ranges?: readonly components["schemas"]["Range"][];
            /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`; mode `ranges`. */
            readonly splitPoints?: readonly number[];
            /** @description Number of segments of equal length; mode `parts`. */
            readonly parts?: number;
            /** @description Seconds. No segment is longer; every mode. */
            readonly maxDuration?: number;
            readonly snapToSilence?: components["schemas"]["SnapToSilence"];
            /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
            readonly overlap?: number;
            readonly trim?: components["schemas"]["Trim"];
            /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first; every mode. */
            readonly audioTrack?: number | string;
            readonly encoding?: components["schemas"]["Encoding"];
            /**
             * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win; every mode.
             * @enum {string}
             */
            readonly preset?: "speech";
            /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`; every mode. */
            readonly fileName?: string;
            /** @description The same job without files: segments have times, names and sizes. It uses no quota; every mode. */
            readonly dryRun?: boolean;
            /** @description A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each segment then has its `location`. */
            readonly destination?: {
                /** @description Name or id of a connection of the account. */
                readonly connection: string;
                /** @description Folder below the prefix of the connection. */
                readonly prefix?: string;
            };
            /** @description With `destination`: false stores nothing with us, so that segments have no `downloadUrl`. */
            readonly keepCopy?: boolean;
            /**
             * @description Format of the segments.
             * @enum {string}
             */
            readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
            /** @description Name of the source file, once the job has completed. */
            readonly sourceFileName?: string;
            /** @description Seconds, rounded. */
            readonly sourceDuration?: number;
            /** @description `true` where nothing behind the last segment was read, and the source does not say how long it is. */
            readonly sourceDurationIsEstimate?: boolean;
            /** @description Bytes. */
            readonly sourceSize?: number;
            readonly segments: readonly components["schemas"]["Segment"][];
            /** @description What `encoding.loudness` has found and done. */
            readonly loudness?: {
                /** @description LUFS of what was split; null where it is silent. */
                readonly measured: number | null;
                /** @description dB, the same for all segments. */
                readonly gain: number;
                /** @description dBTP behind the gain, before the encoder; null where it is silent. */
                readonly truePeak: number | null;
            };
            /**
             * Format: date-time
             * @description When the segments were removed; `segments` is empty since.
             */
            readonly segmentsExpiredAt?: string;
            /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the job was accepted.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When the last segment was stored.
             */
            readonly completedAt: string;
        };
        readonly FailedJob: {
            readonly id: string;
            /** @description Of the batch that it was created with. */
            readonly batchId?: string;
            /** @enum {string} */
            readonly status: "failed";
            /** @description Where the source was fetched. Values of the query, which may be secrets, are hidden. */
            readonly sourceUrl: string;
            /** @description Names of `sourceHeaders`; their values are not shown. */
            readonly sourceHeaderNames?: readonly string[];
            /**
             * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
             * @enum {string}
             */
            readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
            /** @description Seconds per segment; mode `duration`. */
            readonly segmentDuration?: number;
            /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
            readonly maxFileSize?: number;
            readonly silence?: components["schemas"]["SilenceOptions"];
            /** @description Chapters in ascending order, in place of the source's own; mode `chapters`. */
            readonly chapters?: readonly components["schemas"]["Chapter"][];
            /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`; mode `ranges`. */
            readonly ranges?: readonly components["schemas"]["Range"][];
            /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`; mode `ranges`. */
            readonly splitPoints?: readonly number[];
            /** @description Number of segments of equal length; mode `parts`. */
            readonly parts?: number;
            /** @description Seconds. No segment is longer; every mode. */
            readonly maxDuration?: number;
            readonly snapToSilence?: components["schemas"]["SnapToSilence"];
            /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
            readonly overlap?: number;
            readonly trim?: components["schemas"]["Trim"];
            /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first; every mode. */
            readonly audioTrack?: number | string;
            readonly encoding?: components["schemas"]["Encoding"];
            /**
             * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win; every mode.
             * @enum {string}
             */
            readonly preset?: "speech";
            /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`; every mode. */
            readonly fileName?: string;
            /** @description The same job without files: segments have times, names and sizes. It uses no quota; every mode. */
            readonly dryRun?: boolean;
            /** @description A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each segment then has its `location`. */
            readonly destination?: {
                /** @description Name or id of a connection of the account. */
                readonly connection: string;
                /** @description Folder below the prefix of the connection. */
                readonly prefix?: string;
            };
            /** @description With `destination`: false stores nothing with us, so that segments have no `downloadUrl`. */
            readonly keepCopy?: boolean;
            /**
             * @description Format of the segments.
             * @enum {string}
             */
            readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
            readonly webhookUrl?: string;
            /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            readonly error: {
                /**
                 * @description Why the job failed.
                 * @enum {string}
                 */
                readonly code: "SOURCE_UNREACHABLE" | "SOURCE_TIMEOUT" | "SOURCE_FORBIDDEN" | "FORBIDDEN_BY_STORE" | "DESTINATION_UNREACHABLE" | "UNSUPPORTED_MEDIA" | "FILE_TOO_LARGE" | "SEGMENT_LIMIT_UNREACHABLE" | "TOO_MANY_SEGMENTS" | "NO_SOUND" | "NO_CHAPTERS" | "RANGE_OUTSIDE_SOURCE" | "TOO_MUCH_OVERLAP" | "NO_SUCH_TRACK" | "ENCODING_UNSUPPORTED" | "QUOTA_EXCEEDED" | "SPEND_LIMIT_REACHED" | "OUTPUT_TOO_LARGE" | "TIMED_OUT" | "CANCELED" | "INTERNAL_ERROR";
                readonly message: string;
            };
            /**
             * Format: date-time
             * @description When the job was accepted.
             */
            readonly createdAt: string;
            readonly completedAt: null;
            /**
             * Format: date-time
             * @description When the job failed; left out where that was not kept yet. `completedAt` stays null.
             */
            readonly failedAt?: string;
        };
        readonly Segment: {
            /** @description Position, counted from 0. */
            readonly index: number;
            /** @description Signed link to the file; takes Range requests and HEAD. Left out of a dry run. */
            readonly downloadUrl?: string;
            /** @description Where it begins in the source, in seconds to the millisecond. */
            readonly startTime: number;
            /** @description The cut with which it begins, in every segment of a job with `overlap`: its file begins before. */
            readonly contentStart?: number;
            /** @description Where it ends in the source, in seconds to the millisecond. */
            readonly endTime: number;
            /** @description Seconds, rounded; at least 1. */
            readonly duration: number;
            /**
             * @description Why the segment ends there: a number or a cap (`exact`), a silence, the quietest spot, a chapter, a range, or the end of the source or of `trim`. Absent if an earlier version of the service made the segment.
             * @enum {string}
             */
            readonly cut?: "exact" | "silence" | "quietest" | "chapter" | "range" | "end";
            /** @description Where it lies in the bucket of the destination. */
            readonly location?: string;
            /** @description Of the chapter or the range, with its number where that was divided. */
            readonly title?: string;
            /** @description Of the file, and of its entry in the archive. */
            readonly fileName: string;
            /** @description Bytes. */
            readonly size: number;
            /** @description Of a dry run: encoding alone would tell the size. */
            readonly sizeIsEstimate?: boolean;
            /**
             * Format: date-time
             * @description When the link ends; reading the job gives a fresh one. Left out of a dry run.
             */
            readonly expiresAt?: string;
        };
        /** @description What counts as a silence between segments */
        readonly SilenceOptions: {
            /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
            readonly threshold?: number | string;
            /** @description Seconds. Shorter silences make no cut; .5 by default. */
            readonly minSilence?: number;
            /** @description Seconds. A shorter piece is joined to the next; 1 by default. */
            readonly minDuration?: number;
            /** @description Seconds. Drops silences, but for so much at each edge; by default nothing is dropped. */
            readonly keepSilence?: number;
        };
        /** @description A chapter, as Podcasting 2.0 has it. */
        readonly Chapter: {
            /** @description Where the chapter begins, in seconds. */
            readonly startTime: number;
            /** @description Title of the segment. */
            readonly title?: string;
            /** @description Where false, the chapter makes no cut. */
            readonly toc?: boolean;
            /** @description Accepted without effect, in seconds. */
            readonly endTime?: number;
            /** @description Accepted without effect. */
            readonly img?: string;
            /** @description Accepted without effect. */
            readonly url?: string;
            /** @description Accepted without effect. */
            readonly location?: {
                readonly [key: string]: string;
            };
        };
        /** @description A range of the source. */
        readonly Range: {
            /** @description Where the range begins, in seconds. */
            readonly start: number;
            /** @description Where it ends; without it at the end of the source, in seconds. */
            readonly end?: number;
            /** @description Title of the segment. */
            readonly title?: string;
        };
        /** @description Moves cuts back to a silence or the quietest spot */
        readonly SnapToSilence: {
            /** @description Seconds. A cut moves backward by at most this. */
            readonly window: number;
            /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
            readonly threshold?: number | string;
            /** @description Seconds. Shorter silences do not count; at most `window`, by default .2 or `window`. */
            readonly minSilence?: number;
        };
        /** @description The stretch of the source that is split */
        readonly Trim: {
            /** @description What lies before it is left out, in seconds. */
            readonly start?: number;
            /** @description What lies behind it is left out, in seconds. */
            readonly end?: number;
        };
        /** @description Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused */
        readonly Encoding: {
            /** @description Hz. */
            readonly sampleRate?: number;
            /** @description 1 is mono, 2 is stereo. */
            readonly channels?: number;
            /** @description Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too. */
            readonly bitrate?: number;
            /**
             * @description Bits a sample; wav and flac only.
             * @enum {integer}
             */
            readonly bitDepth?: 16 | 24;
            /** @description Normalises the loudness by EBU R 128, with one gain for all segments. */
            readonly loudness?: {
                /** @description LUFS. */
                readonly target: number;
            };
            /** @description Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway. */
            readonly md5?: boolean;
        };
        readonly JobRow: {
            readonly id: string;
            /** @description Of the batch that it was created with. */
            readonly batchId?: string;
            /**
             * @description Where the job stands.
             * @enum {string}
             */
            readonly status: "queued" | "processing" | "completed" | "failed";
            /**
             * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
             * @enum {string}
             */
            readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
            /** @description Seconds per segment; mode `duration`. */
            readonly segmentDuration?: number;
            /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
            readonly maxFileSize?: number;
            /** @description Number of segments of equal length; mode `parts`. */
            readonly parts?: number;
            /** @description Seconds. No segment is longer; every mode. */
            readonly maxDuration?: number;
            /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
            readonly overlap?: number;
            /** @description The audio track, where it was given as an index; every mode. */
            readonly audioTrack?: number;
            /**
             * @description Format of the segments.
             * @enum {string}
             */
            readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
            /** @description Name of the source file, once the job has completed. */
            readonly sourceFileName?: string;
            /** @description Null until completed. */
            readonly segmentCount: number | null;
            /**
             * Format: date-time
             * @description When the job was accepted.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Null until completed.
             */
            readonly completedAt: string | null;
            /**
             * Format: date-time
             * @description When the job failed; left out where that was not kept yet. `completedAt` stays null.
             */
            readonly failedAt?: string;
            readonly error?: {
                /**
                 * @description Why the job failed.
                 * @enum {string}
                 */
                readonly code: "SOURCE_UNREACHABLE" | "SOURCE_TIMEOUT" | "SOURCE_FORBIDDEN" | "FORBIDDEN_BY_STORE" | "DESTINATION_UNREACHABLE" | "UNSUPPORTED_MEDIA" | "FILE_TOO_LARGE" | "SEGMENT_LIMIT_UNREACHABLE" | "TOO_MANY_SEGMENTS" | "NO_SOUND" | "NO_CHAPTERS" | "RANGE_OUTSIDE_SOURCE" | "TOO_MUCH_OVERLAP" | "NO_SUCH_TRACK" | "ENCODING_UNSUPPORTED" | "QUOTA_EXCEEDED" | "SPEND_LIMIT_REACHED" | "OUTPUT_TOO_LARGE" | "TIMED_OUT" | "CANCELED" | "INTERNAL_ERROR";
                readonly message: string;
            };
        };
        readonly JobList: {
            readonly data: readonly components["schemas"]["JobRow"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly FoundJobs: {
            readonly data: readonly components["schemas"]["JobRow"][];
            /** @description Where to go on; left out where all older jobs have been looked at. */
            readonly nextPageToken?: string;
            /**
             * Format: date-time
             * @description Where the page is not full, as a call looks at 20,000 jobs: when the last one that it looked at was created.
             */
            readonly lookedBackTo?: string;
        };
        readonly Batch: {
            readonly id: string;
            /**
             * Format: date-time
             * @description When the batch was accepted.
             */
            readonly createdAt: string;
            /** @description Its jobs; deleted ones do not count. */
            readonly total: number;
            readonly queued: number;
            readonly processing: number;
            readonly completed: number;
            /** @description Without the canceled ones. */
            readonly failed: number;
            readonly canceled: number;
        };
        readonly CreatedBatch: {
            readonly id: string;
            /**
             * Format: date-time
             * @description When the batch was accepted.
             */
            readonly createdAt: string;
            /** @description Its jobs; deleted ones do not count. */
            readonly total: number;
            readonly queued: number;
            readonly processing: number;
            readonly completed: number;
            /** @description Without the canceled ones. */
            readonly failed: number;
            readonly canceled: number;
            readonly jobs: readonly {
                /** @description Place in `sources`, counted from 0. */
                readonly index: number;
                readonly jobId: string;
            }[];
            /** @description Sources of which no job was made. What is found wrong with others later fails their jobs. */
            readonly refused: readonly {
                /** @description Place in `sources`, counted from 0. */
                readonly index: number;
                /** @description What is wrong with it. */
                readonly message: string;
            }[];
        };
        readonly SplitSettings: {
            /**
             * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
             * @enum {string}
             */
            readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
            /** @description Seconds per segment. Required with splitMode `duration`, refused otherwise. */
            readonly segmentDuration?: number;
            /** @description Most bytes of a segment, headers, tags and overlap included. Required with splitMode `fileSize`. With every splitMode. */
            readonly maxFileSize?: number;
            /** @description What counts as a silence between segments. Only with splitMode `silence`. */
            readonly silence?: {
                /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                readonly threshold?: number | string;
                /** @description Seconds. Shorter silences make no cut; .5 by default. */
                readonly minSilence?: number;
                /** @description Seconds. A shorter piece is joined to the next; 1 by default. */
                readonly minDuration?: number;
                /** @description Seconds. Drops silences, but for so much at each edge; by default nothing is dropped. */
                readonly keepSilence?: number;
            };
            /** @description Chapters in ascending order, in place of the source's own. Only with splitMode `chapters`. */
            readonly chapters?: readonly {
                /** @description Where the chapter begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                readonly startTime: number | string;
                /** @description Title of the segment. */
                readonly title?: string;
                /** @description Where false, the chapter makes no cut. */
                readonly toc?: boolean;
                /** @description Accepted without effect: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                readonly endTime?: number | string;
                /** @description Accepted without effect. */
                readonly img?: string;
                /** @description Accepted without effect. */
                readonly url?: string;
                /** @description Accepted without effect. */
                readonly location?: {
                    readonly [key: string]: string;
                };
            }[];
            /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`. Only with splitMode `ranges`. */
            readonly ranges?: readonly {
                /** @description Where the range begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                readonly start: number | string;
                /** @description Where it ends; without it at the end of the source: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                readonly end?: number | string;
                /** @description Title of the segment. */
                readonly title?: string;
            }[];
            /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`. Only with splitMode `ranges`. */
            readonly splitPoints?: readonly (number | string)[];
            /** @description Number of segments of equal length. Required with splitMode `parts`, refused otherwise. */
            readonly parts?: number;
            /** @description Seconds. No segment is longer. With every splitMode. */
            readonly maxDuration?: number;
            /** @description Moves cuts back to a silence or the quietest spot. With splitMode `duration`, `fileSize` or `parts`, and with the others together with `maxDuration` or `maxFileSize`. */
            readonly snapToSilence?: {
                /** @description Seconds. A cut moves backward by at most this. */
                readonly window: number;
                /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                readonly threshold?: number | string;
                /** @description Seconds. Shorter silences do not count; at most `window`, by default .2 or `window`. */
                readonly minSilence?: number;
            };
            /** @description Seconds. Every segment but the first begins that much before its cut. Only with splitMode `duration` or `fileSize` or `silence` or `parts`. */
            readonly overlap?: number;
            /** @description The stretch of the source that is split. Only with splitMode `duration` or `fileSize` or `silence` or `chapters` or `parts`. */
            readonly trim?: {
                /** @description What lies before it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                readonly start?: number | string;
                /** @description What lies behind it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                readonly end?: number | string;
            };
            /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first. With every splitMode. */
            readonly audioTrack?: number | string;
            /** @description Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused. With every splitMode. */
            readonly encoding?: {
                /** @description Hz. */
                readonly sampleRate?: number;
                /** @description 1 is mono, 2 is stereo. */
                readonly channels?: number;
                /** @description Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too. */
                readonly bitrate?: number;
                /**
                 * @description Bits a sample; wav and flac only.
                 * @enum {integer}
                 */
                readonly bitDepth?: 16 | 24;
                /** @description Normalises the loudness by EBU R 128, with one gain for all segments. */
                readonly loudness?: {
                    /** @description LUFS. */
                    readonly target: number;
                };
                /** @description Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway. */
                readonly md5?: boolean;
            };
            /**
             * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win. With every splitMode.
             * @enum {string}
             */
            readonly preset?: "speech";
            /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`. With every splitMode. */
            readonly fileName?: string;
            /** @description The same job without files: segments have times, names and sizes. It uses no quota. With every splitMode. */
            readonly dryRun?: boolean;
            /**
             * @description Format of the segments.
             * @enum {string}
             */
            readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
        };
        readonly Preset: {
            readonly id: string;
            /** @description Name of the preset. */
            readonly name: string;
            readonly request: components["schemas"]["SplitSettings"];
            /**
             * Format: date-time
             * @description When it was first saved.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it was last saved.
             */
            readonly updatedAt: string;
        };
        readonly PresetList: {
            /** @description The account's, by name. */
            readonly data: readonly components["schemas"]["Preset"][];
            /** @description Those that everybody has. */
            readonly builtIn: readonly {
                readonly id: string;
                /** @description Name of the preset. */
                readonly name: string;
                readonly request: components["schemas"]["SplitSettings"];
                /** @description Where its figures stand. */
                readonly source?: string;
            }[];
        };
        readonly Connection: {
            readonly id: string;
            /** @description Unique in the account: 1 to 63 lower-case letters, digits and hyphens. Jobs name the connection by it, or by its id. */
            readonly name: string;
            /**
             * @description S3, or a store that speaks its protocol.
             * @enum {string}
             */
            readonly type: "s3";
            /** @description Of a store other than Amazon S3, http or https; the bucket then stands in the path of its requests. Without it: S3 of the region. */
            readonly endpoint?: string;
            /** @description As the store names it; `us-east-1` where it knows none. */
            readonly region: string;
            /** @description Name of the bucket. */
            readonly bucket: string;
            /** @description Folder in the bucket, which is not left; without it: the whole bucket. */
            readonly prefix?: string;
            /** @description Id of the access key. */
            readonly accessKeyId: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            readonly createdAt: string;
        };
        readonly ConnectionList: {
            /** @description By name. */
            readonly data: readonly components["schemas"]["Connection"][];
        };
        readonly ConnectionTest: {
            /** @description All four work. */
            readonly ok: boolean;
            /** @description Of each of the four actions. */
            readonly checks: readonly {
                /**
                 * @description What was tried.
                 * @enum {string}
                 */
                readonly action: "list" | "read" | "write" | "delete";
                readonly ok: boolean;
                /** @description Why it failed, in the words of the store. */
                readonly message?: string;
            }[];
        };
        /** @description The JSON of BBC's audiowaveform, which peaks.js and wavesurfer.js read. */
        readonly Waveform: {
            /** @enum {number} */
            readonly version: 2;
            /**
             * @description All channels are mixed to one.
             * @enum {number}
             */
            readonly channels: 1;
            /** @description Of the segments, in Hz. */
            readonly sample_rate: number;
            /** @description Point n covers the recording from sample n × samples_per_pixel on. */
            readonly samples_per_pixel: number;
            /** @enum {number} */
            readonly bits: 8;
            /** @description The number of points. */
            readonly length: number;
            /** @description The lowest and the highest sample of each point in turn, from -128 to 127. Where no segment lies they are 0. */
            readonly data: readonly number[];
        };
        /** @description The waveform is being drawn. */
        readonly PendingWaveform: {
            /** @enum {string} */
            readonly status: "processing";
        };
        readonly Account: {
            readonly id: string;
            /** @description Absent where an external issuer has verified none. */
            readonly email?: string;
            readonly name: string;
            /**
             * Format: date-time
             * @description When the account was registered.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Present once deletion was asked for: all data is gone by then.
             */
            readonly deletionScheduledAt?: string;
            /** @description Present while the account is suspended: it starts no jobs and makes no other changes that cost money (`ACCOUNT_SUSPENDED`). */
            readonly suspension?: {
                /**
                 * Format: date-time
                 * @description Since when.
                 */
                readonly suspendedAt: string;
                /** @description Why. */
                readonly reason: string;
            };
        };
        readonly Security: {
            /** @description What the account signs in with. */
            readonly email: string;
            /** @description Whether its holder has opened a link that was mailed to it. */
            readonly emailVerified: boolean;
            /** @description Takes its place once the link that was mailed to it is opened. */
            readonly pendingEmail?: string;
            /** @description Absent while it is off. */
            readonly secondFactor?: {
                /**
                 * Format: date-time
                 * @description When it was turned on.
                 */
                readonly enabledAt: string;
                /** @description Recovery codes that are not used yet. */
                readonly recoveryCodesLeft: number;
            };
            /** @description Whether jobs are refused until the address is verified. */
            readonly mustVerifyEmail: boolean;
        };
        readonly SignedInSession: {
            readonly id: string;
            /**
             * Format: date-time
             * @description When it signed in.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             */
            readonly lastUsedAt: string;
            /** @description Network address that it signed in or last renewed its tokens from. */
            readonly address: string | null;
            /** @description What it called itself then. */
            readonly userAgent: string | null;
            /** @description Whether this call comes from it. */
            readonly current: boolean;
        };
        readonly SessionList: {
            readonly data: readonly components["schemas"]["SignedInSession"][];
        };
        readonly SecondFactorSecret: {
            /** @description For an authenticator app, in base32. */
            readonly secret: string;
            /** @description The same as an `otpauth://` URI, for a QR code. */
            readonly uri: string;
        };
        readonly RecoveryCodes: {
            /** @description Each signs in once, in place of a code. They are shown here alone. */
            readonly recoveryCodes: readonly string[];
        };
        readonly DeletionScheduled: {
            readonly message: string;
            /**
             * Format: date-time
             * @description All data is gone by then.
             */
            readonly deletionScheduledAt: string;
        };
        readonly StartedExport: {
            readonly exportId: string;
            /**
             * @description Where the export stands.
             * @enum {string}
             */
            readonly status: "processing" | "completed" | "failed" | "expired";
            /**
             * @description How the data is written; csv is a zip of tables.
             * @enum {string}
             */
            readonly format: "json" | "csv";
            /**
             * Format: date-time
             * @description When it will probably be ready.
             */
            readonly estimatedCompletionAt: string;
            readonly message: string;
        };
        readonly Export: {
            readonly exportId: string;
            /**
             * @description Where the export stands.
             * @enum {string}
             */
            readonly status: "processing" | "completed" | "failed" | "expired";
            /**
             * @description How the data is written; csv is a zip of tables.
             * @enum {string}
             */
            readonly format: "json" | "csv";
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it will probably be ready, or was expected to be.
             */
            readonly estimatedCompletionAt: string;
            /** @description Signed link to the file, once completed. */
            readonly downloadUrl?: string;
            /**
             * Format: date-time
             * @description When the file is removed.
             */
            readonly expiresAt?: string;
            readonly sizeBytes?: number;
            /** @description Digest of the file, in hex. */
            readonly sha256?: string;
        };
        readonly ExportList: {
            readonly data: readonly components["schemas"]["Export"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly Plan: {
            /** @description Also used as planId. */
            readonly id: string;
            readonly name: string;
            /** @description Minutes of audio included per month. */
            readonly monthlyMinutes: number;
            /** @description Largest source file, in bytes. */
            readonly maxFileSize: number;
            /** @description Most that all segments of a job may take together, in bytes. */
            readonly maxOutputBytes: number;
            /** @description Price per month, in minor units of the currency. */
            readonly pricePerMonth: number;
            /** @description Currency code in lower case. */
            readonly currency: string;
            /** @description Jobs that are worked on at once; others wait. */
            readonly concurrentJobs: number;
            /** @description Requests per minute and API key. */
            readonly requestsPerMinute: number;
            /** @description Price of each minute beyond the included ones, in thousandths of a minor unit of the currency: 800 is $0.008. Null: there is none, work beyond is refused. */
            readonly overageMillicentsPerMinute: number | null;
        };
        readonly PlanList: {
            readonly data: readonly components["schemas"]["Plan"][];
        };
        readonly Subscribed: {
            readonly subscription: {
                readonly id: string;
                readonly planId: string;
                /**
                 * @description Where the subscription stands.
                 * @enum {string}
                 */
                readonly status: "incomplete" | "active" | "past_due" | "unpaid" | "canceled";
                /**
                 * Format: date-time
                 * @description When the running period began.
                 */
                readonly currentPeriodStart: string;
                /**
                 * Format: date-time
                 * @description When the running period ends.
                 */
                readonly currentPeriodEnd: string;
            };
        };
        readonly ChangedPlan: {
            readonly subscription: {
                readonly id: string;
                readonly planId: string;
                /** @description After a downgrade: the plan of the next period. */
                readonly scheduledPlanId?: string;
                /**
                 * @description Where the subscription stands.
                 * @enum {string}
                 */
                readonly status: "incomplete" | "active" | "past_due" | "unpaid" | "canceled";
                /**
                 * Format: date-time
                 * @description When the running period ends.
                 */
                readonly currentPeriodEnd: string;
            };
            /** @description After an upgrade: the charge for the rest of the period. Minutes used beyond the old plan are charged with it, at the old rate: a line of their own on the invoice. */
            readonly proration?: {
                /** @description What was charged for it, in minor units of the currency. */
                readonly amount: number;
                /** @description Currency code in lower case. */
                readonly currency: string;
                readonly description: string;
            };
            readonly message: string;
        };
        readonly CanceledSubscription: {
            readonly subscription: {
                readonly id: string;
                /**
                 * @description Where the subscription stands.
                 * @enum {string}
                 */
                readonly status: "incomplete" | "active" | "past_due" | "unpaid" | "canceled";
                /** @description Whether it ends with the running period. */
                readonly cancelAtPeriodEnd: boolean;
                /**
                 * Format: date-time
                 * @description When the running period ends.
                 */
                readonly currentPeriodEnd: string;
            };
            readonly message: string;
        };
        readonly PaymentMethod: {
            readonly type: string;
            readonly last4: string;
            readonly brand: string;
            readonly expiresMonth: number;
            readonly expiresYear: number;
        };
        readonly BillingInfo: {
            readonly plan: components["schemas"]["Plan"];
            /** @description Null on the Free plan. */
            readonly subscription: {
                /**
                 * @description Where the subscription stands.
                 * @enum {string}
                 */
                readonly status: "incomplete" | "active" | "past_due" | "unpaid" | "canceled";
                /**
                 * Format: date-time
                 * @description When the running period began.
                 */
                readonly currentPeriodStart: string;
                /**
                 * Format: date-time
                 * @description When the running period ends.
                 */
                readonly currentPeriodEnd: string;
                /** @description Whether it ends with the running period. */
                readonly cancelAtPeriodEnd: boolean;
            } | null;
            /** @description Null with none on file. */
            readonly paymentMethod: components["schemas"]["PaymentMethod"] | null;
        };
        readonly Refund: {
            readonly id: string;
            /** @description What is given back, in minor units of the currency. */
            readonly amount: number;
            /** @description Currency code in lower case. */
            readonly currency: string;
            readonly reason: string;
            /**
             * @description Where the refund stands. One that has succeeded fails if the bank does not take it.
             * @enum {string}
             */
            readonly status: "pending" | "succeeded" | "failed";
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly createdAt: string;
        };
        readonly Invoice: {
            readonly id: string;
            readonly number: string;
            /**
             * @description Where the invoice stands.
             * @enum {string}
             */
            readonly status: "draft" | "open" | "paid" | "uncollectible" | "void";
            /** @description Total, in minor units of the currency. */
            readonly amount: number;
            /** @description Currency code in lower case. */
            readonly currency: string;
            /**
             * Format: date-time
             * @description Begin of what it covers.
             */
            readonly periodStart: string;
            /**
             * Format: date-time
             * @description End of what it covers.
             */
            readonly periodEnd: string;
            /**
             * Format: date-time
             * @description Null until paid.
             */
            readonly paidAt: string | null;
            /** @description Signed link to the PDF. */
            readonly pdfUrl: string;
            /** @description The company as it was named when the invoice was issued. Null: none. */
            readonly companyName: string | null;
            /** @description Its tax id at that time. Null: none. */
            readonly taxId: string | null;
            /** @description Given back, pending refunds included, in minor units of the currency. */
            readonly amountRefunded: number;
            /** @description Oldest first. Those that failed give nothing back. */
            readonly refunds: readonly components["schemas"]["Refund"][];
        };
        readonly InvoiceList: {
            readonly data: readonly components["schemas"]["Invoice"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly BillingProfile: {
            /** @description The company that is billed. Null: none. */
            readonly companyName: string | null;
            /** @description Its tax id. Null: none. */
            readonly taxId: string | null;
        };
        readonly SpendLimit: {
            /** @description What minutes beyond the plan may cost in a period, in minor units of the currency. Null: there is no limit. */
            readonly amount: number | null;
            /** @description Currency code in lower case. */
            readonly currency: string;
            /** @description What they have cost in the running period, in minor units of the currency. */
            readonly spent: number;
        };
        readonly Usage: {
            readonly period: {
                /**
                 * Format: date-time
                 * @description Begin.
                 */
                readonly start: string;
                /**
                 * Format: date-time
                 * @description End.
                 */
                readonly end: string;
            };
            readonly usage: {
                readonly minutesProcessed: number;
                readonly minutesIncluded: number;
                readonly minutesOverage: number;
                readonly jobsCompleted: number;
                /** @description With the canceled ones, whose status is `failed`. */
                readonly jobsFailed: number;
                /** @description Of `jobsFailed`: those that were canceled. Of periods before this field it is 0. */
                readonly jobsCanceled: number;
                /** @description Bytes of segments stored now. */
                readonly storageUsedBytes: number;
            };
            readonly cost: {
                /** @description The plan's price, in minor units of the currency. */
                readonly basePlan: number;
                /** @description Minutes beyond the plan, in minor units of the currency. */
                readonly overage: number;
                /** @description Both together, in minor units of the currency. */
                readonly total: number;
                /** @description Currency code in lower case. */
                readonly currency: string;
            };
        };
        readonly SandboxClock: {
            /**
             * Format: date-time
             * @description The account's time in all that concerns billing.
             */
            readonly now: string;
        };
        readonly WebhookSecret: {
            /** @description Verifies the signature of every notification to this account. */
            readonly secret: string;
        };
        readonly Delivery: {
            readonly id: string;
            readonly type: string;
            readonly url: string;
            /**
             * @description Where the delivery stands.
             * @enum {string}
             */
            readonly status: "pending" | "delivered" | "failed";
            readonly attempts: readonly {
                /**
                 * Format: date-time
                 * @description When it was tried.
                 */
                readonly at: string;
                /** @description Null without an answer. */
                readonly statusCode: number | null;
                /** @description Null when it went well. */
                readonly error: string | null;
            }[];
            /**
             * Format: date-time
             * @description Null when there is none to come.
             */
            readonly nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the event took place.
             */
            readonly createdAt: string;
        };
        readonly DeliveryList: {
            readonly data: readonly components["schemas"]["Delivery"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly WebhookEndpoint: {
            /** @description Where notifications are posted to. */
            readonly url: string;
            /** @description Which notifications go there. */
            readonly events: readonly ("split.processing" | "split.completed" | "split.failed" | "export.completed" | "export.failed" | "usage.threshold")[];
            /**
             * Format: date-time
             * @description When it was first set.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it was last set.
             */
            readonly updatedAt: string;
        };
        readonly Upload: {
            /** @description Signed link that takes the file as the body of a PUT. */
            readonly uploadUrl: string;
            /** @description What to give a split job as sourceUrl once the file is there. */
            readonly sourceUrl: string;
            /**
             * Format: date-time
             * @description When both links end.
             */
            readonly expiresAt: string;
        };
        readonly Alive: {
            /** @enum {string} */
            readonly status: "ok";
        };
        readonly Acceptance: {
            /**
             * @description Accepting means: send requests here.
             * @enum {string}
             */
            readonly status: "accepting" | "draining";
        };
        readonly Readiness: {
            /**
             * @description Ready means: requests to the API will be served.
             * @enum {string}
             */
            readonly status: "ready" | "draining" | "failing";
            readonly dependencies: {
                /**
                 * @description Whether it can be reached.
                 * @enum {string}
                 */
                readonly limiter: "ok" | "failing";
                /**
                 * @description Whether it can be reached.
                 * @enum {string}
                 */
                readonly store: "ok" | "failing";
                /**
                 * @description Whether it can be reached.
                 * @enum {string}
                 */
                readonly auth: "ok" | "failing";
            };
        };
        readonly SplitProcessing: {
            /** @enum {string} */
            readonly type: "split.processing";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            readonly data: {
                readonly id: string;
                /** @description Of the batch that it was created with. */
                readonly batchId?: string;
                /** @enum {string} */
                readonly status: "processing";
                /**
                 * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
                 * @enum {string}
                 */
                readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
                /** @description Seconds per segment; mode `duration`. */
                readonly segmentDuration?: number;
                /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
                readonly maxFileSize?: number;
                /** @description Number of segments of equal length; mode `parts`. */
                readonly parts?: number;
                /** @description Seconds. No segment is longer; every mode. */
                readonly maxDuration?: number;
                /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
                readonly overlap?: number;
                /** @description The audio track, where it was given as an index; every mode. */
                readonly audioTrack?: number;
                /**
                 * @description Format of the segments.
                 * @enum {string}
                 */
                readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
                /** @description Name of the source file, once the job has completed. */
                readonly sourceFileName?: string;
                /** @description Null until completed. */
                readonly segmentCount: number | null;
                /**
                 * Format: date-time
                 * @description When the job was accepted.
                 */
                readonly createdAt: string;
                /**
                 * Format: date-time
                 * @description Null until completed.
                 */
                readonly completedAt: string | null;
                /**
                 * @description The job is a dry run.
                 * @enum {boolean}
                 */
                readonly dryRun?: true;
                /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
                readonly metadata?: {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly SplitCompleted: {
            /** @enum {string} */
            readonly type: "split.completed";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            readonly data: {
                readonly id: string;
                /** @description Of the batch that it was created with. */
                readonly batchId?: string;
                /** @enum {string} */
                readonly status: "completed";
                /**
                 * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
                 * @enum {string}
                 */
                readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
                /** @description Seconds per segment; mode `duration`. */
                readonly segmentDuration?: number;
                /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
                readonly maxFileSize?: number;
                /** @description Number of segments of equal length; mode `parts`. */
                readonly parts?: number;
                /** @description Seconds. No segment is longer; every mode. */
                readonly maxDuration?: number;
                /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
                readonly overlap?: number;
                /** @description The audio track, where it was given as an index; every mode. */
                readonly audioTrack?: number;
                /**
                 * @description Format of the segments.
                 * @enum {string}
                 */
                readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
                /** @description Name of the source file, once the job has completed. */
                readonly sourceFileName?: string;
                /** @description Null until completed. */
                readonly segmentCount: number | null;
                /**
                 * Format: date-time
                 * @description When the job was accepted.
                 */
                readonly createdAt: string;
                /**
                 * Format: date-time
                 * @description Null until completed.
                 */
                readonly completedAt: string | null;
                /**
                 * @description The job is a dry run.
                 * @enum {boolean}
                 */
                readonly dryRun?: true;
                /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
                readonly metadata?: {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly SplitFailed: {
            /** @enum {string} */
            readonly type: "split.failed";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            readonly data: {
                readonly id: string;
                /** @description Of the batch that it was created with. */
                readonly batchId?: string;
                /** @enum {string} */
                readonly status: "failed";
                /**
                 * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
                 * @enum {string}
                 */
                readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
                /** @description Seconds per segment; mode `duration`. */
                readonly segmentDuration?: number;
                /** @description Most bytes of a segment, headers, tags and overlap included; every mode. */
                readonly maxFileSize?: number;
                /** @description Number of segments of equal length; mode `parts`. */
                readonly parts?: number;
                /** @description Seconds. No segment is longer; every mode. */
                readonly maxDuration?: number;
                /** @description Seconds. Every segment but the first begins that much before its cut; mode `duration` or `fileSize` or `silence` or `parts`. */
                readonly overlap?: number;
                /** @description The audio track, where it was given as an index; every mode. */
                readonly audioTrack?: number;
                /**
                 * @description Format of the segments.
                 * @enum {string}
                 */
                readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
                /** @description Name of the source file, once the job has completed. */
                readonly sourceFileName?: string;
                /** @description Null until completed. */
                readonly segmentCount: number | null;
                /**
                 * Format: date-time
                 * @description When the job was accepted.
                 */
                readonly createdAt: string;
                /**
                 * Format: date-time
                 * @description Null until completed.
                 */
                readonly completedAt: string | null;
                /**
                 * @description The job is a dry run.
                 * @enum {boolean}
                 */
                readonly dryRun?: true;
                /**
                 * Format: date-time
                 * @description When the job failed; left out where that was not kept yet. `completedAt` stays null.
                 */
                readonly failedAt?: string;
                readonly error: {
                    /**
                     * @description Why the job failed.
                     * @enum {string}
                     */
                    readonly code: "SOURCE_UNREACHABLE" | "SOURCE_TIMEOUT" | "SOURCE_FORBIDDEN" | "FORBIDDEN_BY_STORE" | "DESTINATION_UNREACHABLE" | "UNSUPPORTED_MEDIA" | "FILE_TOO_LARGE" | "SEGMENT_LIMIT_UNREACHABLE" | "TOO_MANY_SEGMENTS" | "NO_SOUND" | "NO_CHAPTERS" | "RANGE_OUTSIDE_SOURCE" | "TOO_MUCH_OVERLAP" | "NO_SUCH_TRACK" | "ENCODING_UNSUPPORTED" | "QUOTA_EXCEEDED" | "SPEND_LIMIT_REACHED" | "OUTPUT_TOO_LARGE" | "TIMED_OUT" | "CANCELED" | "INTERNAL_ERROR";
                    readonly message: string;
                };
                /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
                readonly metadata?: {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly ExportCompleted: {
            /** @enum {string} */
            readonly type: "export.completed";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            readonly data: {
                readonly exportId: string;
                /** @enum {string} */
                readonly status: "completed";
                /**
                 * @description How the data is written; csv is a zip of tables.
                 * @enum {string}
                 */
                readonly format: "json" | "csv";
                /**
                 * Format: date-time
                 * @description When the file is removed; null where there is none.
                 */
                readonly expiresAt: string | null;
            };
        };
        readonly ExportFailed: {
            /** @enum {string} */
            readonly type: "export.failed";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            readonly data: {
                readonly exportId: string;
                /** @enum {string} */
                readonly status: "failed";
                /**
                 * @description How the data is written; csv is a zip of tables.
                 * @enum {string}
                 */
                readonly format: "json" | "csv";
                /**
                 * Format: date-time
                 * @description When the file is removed; null where there is none.
                 */
                readonly expiresAt: string | null;
            };
        };
        readonly UsageThreshold: {
            /** @enum {string} */
            readonly type: "usage.threshold";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            readonly data: {
                /**
                 * @description The minutes of the plan, or the spend limit.
                 * @enum {string}
                 */
                readonly metric: "minutes" | "spend";
                readonly percent: 80 | 100;
                /** @description Minutes, or minor units of the currency. */
                readonly used: number;
                /** @description Minutes, or minor units of the currency. */
                readonly limit: number;
                /**
                 * Format: date-time
                 * @description When the period began.
                 */
                readonly periodStart: string;
                /**
                 * Format: date-time
                 * @description When it ends.
                 */
                readonly periodEnd: string;
            };
        };
        readonly Ping: {
            /** @enum {string} */
            readonly type: "ping";
            /**
             * Format: date-time
             * @description When it took place. Notifications may arrive late, twice and out of order.
             */
            readonly timestamp: string;
            /** @description Empty. */
            readonly data: Record<string, never>;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly register: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: email
                     * @description Upper and lower case are the same.
                     */
                    readonly email: string;
                    readonly password: string;
                    /** @description How to address the account holder. */
                    readonly name?: string;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly login: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly email: string;
                    readonly password: string;
                    /** @description Six digits of the authenticator app, or a recovery code. Each is good for one use. */
                    readonly code?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly loginByLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What stands behind the `#` of the link in the mail. Good for one use. */
                    readonly token: string;
                    /** @description Six digits of the authenticator app, or a recovery code. Each is good for one use. */
                    readonly code?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly refreshSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Good for one use. */
                    readonly refreshToken: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly logout: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Good for one use. */
                    readonly refreshToken: string;
                };
            };
        };
        readonly responses: {
            /** @description Signed out. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listApiKeys: {
        readonly parameters: {
            readonly query?: {
                /** @description Which page, counted from 1. */
                readonly page?: number;
                /** @description Rows to a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    readonly createApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What people call the key. */
                    readonly name: string;
                    /** @description What the key allows. */
                    readonly scopes?: readonly ("splits:read" | "splits:write" | "keys:manage" | "connections:manage")[];
                    /**
                     * Format: date-time
                     * @description When the key stops working; null for never.
                     */
                    readonly expiresAt?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    readonly getApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The key. */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    readonly revokeApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The key. */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Revoked. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The key. */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description What people call the key. */
                    readonly name?: string;
                    /** @description What the key allows. */
                    readonly scopes?: readonly ("splits:read" | "splits:write" | "keys:manage" | "connections:manage")[];
                    /**
                     * Format: date-time
                     * @description When the key stops working; null for never.
                     */
                    readonly expiresAt?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    readonly rotateApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The key. */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description How long the old secret goes on working.
                     * @default 0
                     */
                    readonly graceSeconds?: number;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    readonly listSplits: {
        readonly parameters: {
            readonly query?: {
                /** @description Which page, counted from 1. */
                readonly page?: number;
                /** @description Rows to a page. */
                readonly limit?: number;
                /** @description Where the job stands. */
                readonly status?: "queued" | "processing" | "completed" | "failed";
                /** @description Order by this. */
                readonly sortBy?: "createdAt" | "completedAt";
                /** @description Oldest or newest first. */
                readonly sortOrder?: "asc" | "desc";
                /** @description Only jobs of this batch, in the order of its sources or the reverse; `sortBy` has no effect. */
                readonly batchId?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobList"];
                };
            };
        };
    };
    readonly createSplit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Where the audio file is fetched: http or https, without user name and password. A link by which a file is shared in Google Drive, Dropbox or OneDrive stands for the file. `s3://<connection>/<key>` is an object in a bucket of the account: the name or the id of a connection, and its key below the prefix of the connection, without escapes. */
                    readonly sourceUrl: string;
                    /** @description Headers with which the source is asked for, 8192 bytes at most: credentials, say. Not Host, Range, and what belongs to a connection. They are kept encrypted until the job ends and sent to the origin of `sourceUrl` alone, not to where it redirects. */
                    readonly sourceHeaders?: {
                        readonly [key: string]: string;
                    };
                    /**
                     * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
                     * @enum {string}
                     */
                    readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
                    /** @description Seconds per segment. Required with splitMode `duration`, refused otherwise. */
                    readonly segmentDuration?: number;
                    /** @description Most bytes of a segment, headers, tags and overlap included. Required with splitMode `fileSize`. With every splitMode. */
                    readonly maxFileSize?: number;
                    /** @description What counts as a silence between segments. Only with splitMode `silence`. */
                    readonly silence?: {
                        /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                        readonly threshold?: number | string;
                        /** @description Seconds. Shorter silences make no cut; .5 by default. */
                        readonly minSilence?: number;
                        /** @description Seconds. A shorter piece is joined to the next; 1 by default. */
                        readonly minDuration?: number;
                        /** @description Seconds. Drops silences, but for so much at each edge; by default nothing is dropped. */
                        readonly keepSilence?: number;
                    };
                    /** @description Chapters in ascending order, in place of the source's own. Only with splitMode `chapters`. */
                    readonly chapters?: readonly {
                        /** @description Where the chapter begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                        readonly startTime: number | string;
                        /** @description Title of the segment. */
                        readonly title?: string;
                        /** @description Where false, the chapter makes no cut. */
                        readonly toc?: boolean;
                        /** @description Accepted without effect: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                        readonly endTime?: number | string;
                        /** @description Accepted without effect. */
                        readonly img?: string;
                        /** @description Accepted without effect. */
                        readonly url?: string;
                        /** @description Accepted without effect. */
                        readonly location?: {
                            readonly [key: string]: string;
                        };
                    }[];
                    /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`. Only with splitMode `ranges`. */
                    readonly ranges?: readonly {
                        /** @description Where the range begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                        readonly start: number | string;
                        /** @description Where it ends; without it at the end of the source: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                        readonly end?: number | string;
                        /** @description Title of the segment. */
                        readonly title?: string;
                    }[];
                    /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`. Only with splitMode `ranges`. */
                    readonly splitPoints?: readonly (number | string)[];
                    /** @description Number of segments of equal length. Required with splitMode `parts`, refused otherwise. */
                    readonly parts?: number;
                    /** @description Seconds. No segment is longer. With every splitMode. */
                    readonly maxDuration?: number;
                    /** @description Moves cuts back to a silence or the quietest spot. With splitMode `duration`, `fileSize` or `parts`, and with the others together with `maxDuration` or `maxFileSize`. */
                    readonly snapToSilence?: {
                        /** @description Seconds. A cut moves backward by at most this. */
                        readonly window: number;
                        /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                        readonly threshold?: number | string;
                        /** @description Seconds. Shorter silences do not count; at most `window`, by default .2 or `window`. */
                        readonly minSilence?: number;
                    };
                    /** @description Seconds. Every segment but the first begins that much before its cut. Only with splitMode `duration` or `fileSize` or `silence` or `parts`. */
                    readonly overlap?: number;
                    /** @description The stretch of the source that is split. Only with splitMode `duration` or `fileSize` or `silence` or `chapters` or `parts`. */
                    readonly trim?: {
                        /** @description What lies before it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                        readonly start?: number | string;
                        /** @description What lies behind it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                        readonly end?: number | string;
                    };
                    /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first. With every splitMode. */
                    readonly audioTrack?: number | string;
                    /** @description Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused. With every splitMode. */
                    readonly encoding?: {
                        /** @description Hz. */
                        readonly sampleRate?: number;
                        /** @description 1 is mono, 2 is stereo. */
                        readonly channels?: number;
                        /** @description Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too. */
                        readonly bitrate?: number;
                        /**
                         * @description Bits a sample; wav and flac only.
                         * @enum {integer}
                         */
                        readonly bitDepth?: 16 | 24;
                        /** @description Normalises the loudness by EBU R 128, with one gain for all segments. */
                        readonly loudness?: {
                            /** @description LUFS. */
                            readonly target: number;
                        };
                        /** @description Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway. */
                        readonly md5?: boolean;
                    };
                    /**
                     * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win. With every splitMode.
                     * @enum {string}
                     */
                    readonly preset?: "speech";
                    /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`. With every splitMode. */
                    readonly fileName?: string;
                    /** @description The same job without files: segments have times, names and sizes. It uses no quota. With every splitMode. */
                    readonly dryRun?: boolean;
                    /**
                     * @description Format of the segments.
                     * @enum {string}
                     */
                    readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
                    /** @description A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each segment then has its `location`. */
                    readonly destination?: {
                        /** @description Name or id of a connection of the account. */
                        readonly connection: string;
                        /** @description Folder below the prefix of the connection. */
                        readonly prefix?: string;
                    };
                    /** @description With `destination`: false stores nothing with us, so that segments have no `downloadUrl`. */
                    readonly keepCopy?: boolean;
                    /** @description Where to be notified of the job's progress. */
                    readonly webhookUrl?: string;
                    /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
                    readonly metadata?: {
                        readonly [key: string]: unknown;
                    };
                } & ({
                    /** @constant */
                    readonly splitMode: "duration";
                    readonly segmentDuration: unknown;
                    readonly silence?: never;
                    readonly chapters?: never;
                    readonly ranges?: never;
                    readonly splitPoints?: never;
                    readonly parts?: never;
                } | {
                    /** @constant */
                    readonly splitMode: "fileSize";
                    readonly maxFileSize: unknown;
                    readonly segmentDuration?: never;
                    readonly silence?: never;
                    readonly chapters?: never;
                    readonly ranges?: never;
                    readonly splitPoints?: never;
                    readonly parts?: never;
                } | {
                    /** @constant */
                    readonly splitMode: "silence";
                    readonly segmentDuration?: never;
                    readonly chapters?: never;
                    readonly ranges?: never;
                    readonly splitPoints?: never;
                    readonly parts?: never;
                } | {
                    /** @constant */
                    readonly splitMode: "chapters";
                    readonly segmentDuration?: never;
                    readonly silence?: never;
                    readonly ranges?: never;
                    readonly splitPoints?: never;
                    readonly parts?: never;
                    readonly overlap?: never;
                } | {
                    /** @constant */
                    readonly splitMode: "ranges";
                    readonly segmentDuration?: never;
                    readonly silence?: never;
                    readonly chapters?: never;
                    readonly parts?: never;
                    readonly overlap?: never;
                    readonly trim?: never;
                } | {
                    /** @constant */
                    readonly splitMode: "parts";
                    readonly parts: unknown;
                    readonly segmentDuration?: never;
                    readonly silence?: never;
                    readonly chapters?: never;
                    readonly ranges?: never;
                    readonly splitPoints?: never;
                });
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QueuedJob"];
                };
            };
        };
    };
    readonly getSplit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The job. */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QueuedJob"] | components["schemas"]["ProcessingJob"] | components["schemas"]["CompletedJob"] | components["schemas"]["FailedJob"];
                };
            };
        };
    };
    readonly deleteSplit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The job. */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly cancelSplit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The job. */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FailedJob"];
                };
            };
        };
    };
    readonly searchSplits: {
        readonly parameters: {
            readonly query: {
                /** @description Each of its words is in the job's id, in the name of its source or in the source's address without the query, whatever the case. A whole id finds its job however old it is. */
                readonly text: string;
                /** @description Where the job stands. */
                readonly status?: "queued" | "processing" | "completed" | "failed";
                /** @description `nextPageToken` of the page before. */
                readonly pageToken?: string;
                /** @description Of failed jobs: only those that were canceled, or only the others. */
                readonly canceled?: "true" | "false";
                /** @description Rows to a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FoundJobs"];
                };
            };
        };
    };
    readonly getSplitWaveform: {
        readonly parameters: {
            readonly query?: {
                /** @description How many points there are at most, each a lowest and a highest value. */
                readonly points?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The job. */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Waveform"];
                };
            };
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PendingWaveform"];
                };
            };
        };
    };
    readonly createBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description One job is made of each. */
                    readonly sources: readonly string[];
                    /** @description Of every job, as in the body that creates one; at most 16384 bytes as JSON. */
                    readonly settings: {
                        /**
                         * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
                         * @enum {string}
                         */
                        readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
                        /** @description Seconds per segment. Required with splitMode `duration`, refused otherwise. */
                        readonly segmentDuration?: number;
                        /** @description Most bytes of a segment, headers, tags and overlap included. Required with splitMode `fileSize`. With every splitMode. */
                        readonly maxFileSize?: number;
                        /** @description What counts as a silence between segments. Only with splitMode `silence`. */
                        readonly silence?: {
                            /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                            readonly threshold?: number | string;
                            /** @description Seconds. Shorter silences make no cut; .5 by default. */
                            readonly minSilence?: number;
                            /** @description Seconds. A shorter piece is joined to the next; 1 by default. */
                            readonly minDuration?: number;
                            /** @description Seconds. Drops silences, but for so much at each edge; by default nothing is dropped. */
                            readonly keepSilence?: number;
                        };
                        /** @description Chapters in ascending order, in place of the source's own. Only with splitMode `chapters`. */
                        readonly chapters?: readonly {
                            /** @description Where the chapter begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly startTime: number | string;
                            /** @description Title of the segment. */
                            readonly title?: string;
                            /** @description Where false, the chapter makes no cut. */
                            readonly toc?: boolean;
                            /** @description Accepted without effect: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly endTime?: number | string;
                            /** @description Accepted without effect. */
                            readonly img?: string;
                            /** @description Accepted without effect. */
                            readonly url?: string;
                            /** @description Accepted without effect. */
                            readonly location?: {
                                readonly [key: string]: string;
                            };
                        }[];
                        /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`. Only with splitMode `ranges`. */
                        readonly ranges?: readonly {
                            /** @description Where the range begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly start: number | string;
                            /** @description Where it ends; without it at the end of the source: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly end?: number | string;
                            /** @description Title of the segment. */
                            readonly title?: string;
                        }[];
                        /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`. Only with splitMode `ranges`. */
                        readonly splitPoints?: readonly (number | string)[];
                        /** @description Number of segments of equal length. Required with splitMode `parts`, refused otherwise. */
                        readonly parts?: number;
                        /** @description Seconds. No segment is longer. With every splitMode. */
                        readonly maxDuration?: number;
                        /** @description Moves cuts back to a silence or the quietest spot. With splitMode `duration`, `fileSize` or `parts`, and with the others together with `maxDuration` or `maxFileSize`. */
                        readonly snapToSilence?: {
                            /** @description Seconds. A cut moves backward by at most this. */
                            readonly window: number;
                            /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                            readonly threshold?: number | string;
                            /** @description Seconds. Shorter silences do not count; at most `window`, by default .2 or `window`. */
                            readonly minSilence?: number;
                        };
                        /** @description Seconds. Every segment but the first begins that much before its cut. Only with splitMode `duration` or `fileSize` or `silence` or `parts`. */
                        readonly overlap?: number;
                        /** @description The stretch of the source that is split. Only with splitMode `duration` or `fileSize` or `silence` or `chapters` or `parts`. */
                        readonly trim?: {
                            /** @description What lies before it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly start?: number | string;
                            /** @description What lies behind it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly end?: number | string;
                        };
                        /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first. With every splitMode. */
                        readonly audioTrack?: number | string;
                        /** @description Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused. With every splitMode. */
                        readonly encoding?: {
                            /** @description Hz. */
                            readonly sampleRate?: number;
                            /** @description 1 is mono, 2 is stereo. */
                            readonly channels?: number;
                            /** @description Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too. */
                            readonly bitrate?: number;
                            /**
                             * @description Bits a sample; wav and flac only.
                             * @enum {integer}
                             */
                            readonly bitDepth?: 16 | 24;
                            /** @description Normalises the loudness by EBU R 128, with one gain for all segments. */
                            readonly loudness?: {
                                /** @description LUFS. */
                                readonly target: number;
                            };
                            /** @description Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway. */
                            readonly md5?: boolean;
                        };
                        /**
                         * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win. With every splitMode.
                         * @enum {string}
                         */
                        readonly preset?: "speech";
                        /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`. With every splitMode. */
                        readonly fileName?: string;
                        /** @description The same job without files: segments have times, names and sizes. It uses no quota. With every splitMode. */
                        readonly dryRun?: boolean;
                        /**
                         * @description Format of the segments.
                         * @enum {string}
                         */
                        readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
                    } & ({
                        /** @constant */
                        readonly splitMode: "duration";
                        readonly segmentDuration: unknown;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "fileSize";
                        readonly maxFileSize: unknown;
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "silence";
                        readonly segmentDuration?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "chapters";
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                        readonly overlap?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "ranges";
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly parts?: never;
                        readonly overlap?: never;
                        readonly trim?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "parts";
                        readonly parts: unknown;
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                    });
                    /** @description Where to be notified of each job's progress. */
                    readonly webhookUrl?: string;
                    /** @description Whatever the caller wants to keep with the job; at most 8192 bytes as JSON without white space. It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused. */
                    readonly metadata?: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedBatch"];
                };
            };
        };
    };
    readonly getBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The batch. */
                readonly batchId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    readonly cancelBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The batch. */
                readonly batchId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    readonly retryBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The batch. */
                readonly batchId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    readonly listPresets: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PresetList"];
                };
            };
        };
    };
    readonly savePreset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Name of the preset. */
                    readonly name: string;
                    /** @description As in the body that creates a job; at most 16384 bytes as JSON. */
                    readonly request: {
                        /**
                         * @description Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.
                         * @enum {string}
                         */
                        readonly splitMode: "duration" | "fileSize" | "silence" | "chapters" | "ranges" | "parts";
                        /** @description Seconds per segment. Required with splitMode `duration`, refused otherwise. */
                        readonly segmentDuration?: number;
                        /** @description Most bytes of a segment, headers, tags and overlap included. Required with splitMode `fileSize`. With every splitMode. */
                        readonly maxFileSize?: number;
                        /** @description What counts as a silence between segments. Only with splitMode `silence`. */
                        readonly silence?: {
                            /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                            readonly threshold?: number | string;
                            /** @description Seconds. Shorter silences make no cut; .5 by default. */
                            readonly minSilence?: number;
                            /** @description Seconds. A shorter piece is joined to the next; 1 by default. */
                            readonly minDuration?: number;
                            /** @description Seconds. Drops silences, but for so much at each edge; by default nothing is dropped. */
                            readonly keepSilence?: number;
                        };
                        /** @description Chapters in ascending order, in place of the source's own. Only with splitMode `chapters`. */
                        readonly chapters?: readonly {
                            /** @description Where the chapter begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly startTime: number | string;
                            /** @description Title of the segment. */
                            readonly title?: string;
                            /** @description Where false, the chapter makes no cut. */
                            readonly toc?: boolean;
                            /** @description Accepted without effect: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly endTime?: number | string;
                            /** @description Accepted without effect. */
                            readonly img?: string;
                            /** @description Accepted without effect. */
                            readonly url?: string;
                            /** @description Accepted without effect. */
                            readonly location?: {
                                readonly [key: string]: string;
                            };
                        }[];
                        /** @description One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`. Only with splitMode `ranges`. */
                        readonly ranges?: readonly {
                            /** @description Where the range begins: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly start: number | string;
                            /** @description Where it ends; without it at the end of the source: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly end?: number | string;
                            /** @description Title of the segment. */
                            readonly title?: string;
                        }[];
                        /** @description Where to cut, in strictly ascending order and above 0. Or give `ranges`. Only with splitMode `ranges`. */
                        readonly splitPoints?: readonly (number | string)[];
                        /** @description Number of segments of equal length. Required with splitMode `parts`, refused otherwise. */
                        readonly parts?: number;
                        /** @description Seconds. No segment is longer. With every splitMode. */
                        readonly maxDuration?: number;
                        /** @description Moves cuts back to a silence or the quietest spot. With splitMode `duration`, `fileSize` or `parts`, and with the others together with `maxDuration` or `maxFileSize`. */
                        readonly snapToSilence?: {
                            /** @description Seconds. A cut moves backward by at most this. */
                            readonly window: number;
                            /** @description What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound. */
                            readonly threshold?: number | string;
                            /** @description Seconds. Shorter silences do not count; at most `window`, by default .2 or `window`. */
                            readonly minSilence?: number;
                        };
                        /** @description Seconds. Every segment but the first begins that much before its cut. Only with splitMode `duration` or `fileSize` or `silence` or `parts`. */
                        readonly overlap?: number;
                        /** @description The stretch of the source that is split. Only with splitMode `duration` or `fileSize` or `silence` or `chapters` or `parts`. */
                        readonly trim?: {
                            /** @description What lies before it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly start?: number | string;
                            /** @description What lies behind it is left out: seconds, or a time as `[H:]M:SS[.mmm]`, to the millisecond. */
                            readonly end?: number | string;
                        };
                        /** @description Which audio track: an index from 0, or a language code of ISO 639. By default the first. With every splitMode. */
                        readonly audioTrack?: number | string;
                        /** @description Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused. With every splitMode. */
                        readonly encoding?: {
                            /** @description Hz. */
                            readonly sampleRate?: number;
                            /** @description 1 is mono, 2 is stereo. */
                            readonly channels?: number;
                            /** @description Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too. */
                            readonly bitrate?: number;
                            /**
                             * @description Bits a sample; wav and flac only.
                             * @enum {integer}
                             */
                            readonly bitDepth?: 16 | 24;
                            /** @description Normalises the loudness by EBU R 128, with one gain for all segments. */
                            readonly loudness?: {
                                /** @description LUFS. */
                                readonly target: number;
                            };
                            /** @description Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway. */
                            readonly md5?: boolean;
                        };
                        /**
                         * @description `speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win. With every splitMode.
                         * @enum {string}
                         */
                        readonly preset?: "speech";
                        /** @description Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, `{title}`, `{start}`. With every splitMode. */
                        readonly fileName?: string;
                        /** @description The same job without files: segments have times, names and sizes. It uses no quota. With every splitMode. */
                        readonly dryRun?: boolean;
                        /**
                         * @description Format of the segments.
                         * @enum {string}
                         */
                        readonly outputFormat?: "mp3" | "wav" | "flac" | "ogg" | "aac";
                    } & ({
                        /** @constant */
                        readonly splitMode: "duration";
                        readonly segmentDuration: unknown;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "fileSize";
                        readonly maxFileSize: unknown;
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "silence";
                        readonly segmentDuration?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "chapters";
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                        readonly parts?: never;
                        readonly overlap?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "ranges";
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly parts?: never;
                        readonly overlap?: never;
                        readonly trim?: never;
                    } | {
                        /** @constant */
                        readonly splitMode: "parts";
                        readonly parts: unknown;
                        readonly segmentDuration?: never;
                        readonly silence?: never;
                        readonly chapters?: never;
                        readonly ranges?: never;
                        readonly splitPoints?: never;
                    });
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Preset"];
                };
            };
        };
    };
    readonly deletePreset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The preset. */
                readonly presetId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listConnections: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConnectionList"];
                };
            };
        };
    };
    readonly createConnection: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Unique in the account: 1 to 63 lower-case letters, digits and hyphens. Jobs name the connection by it, or by its id. */
                    readonly name: string;
                    /**
                     * @description S3, or a store that speaks its protocol.
                     * @enum {string}
                     */
                    readonly type: "s3";
                    /** @description Of a store other than Amazon S3, http or https; the bucket then stands in the path of its requests. Without it: S3 of the region. */
                    readonly endpoint?: string;
                    /** @description As the store names it; `us-east-1` where it knows none. */
                    readonly region: string;
                    /** @description Name of the bucket. */
                    readonly bucket: string;
                    /** @description Folder in the bucket, which is not left; without it: the whole bucket. */
                    readonly prefix?: string;
                    /** @description Id of the access key. */
                    readonly accessKeyId: string;
                    /** @description Secret of the access key. It is kept encrypted, and no answer has it. */
                    readonly secretAccessKey: string;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    readonly deleteConnection: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The connection. */
                readonly connectionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly testConnection: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The connection. */
                readonly connectionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConnectionTest"];
                };
            };
        };
    };
    readonly createUpload: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description Plain name of the file; the segments are named after it. */
                    readonly fileName?: string;
                    /** @description Exact size of the file in bytes. It is reserved, and what is sent must have it. */
                    readonly size?: number;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    readonly createResumableUpload: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    readonly getAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    readonly deleteAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description This exact text.
                     * @enum {string}
                     */
                    readonly confirmation: "DELETE MY ACCOUNT";
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeletionScheduled"];
                };
            };
        };
    };
    readonly restoreAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    readonly createExport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description How the data is written.
                     * @default json
                     * @enum {string}
                     */
                    readonly format?: "json" | "csv";
                    /** @description Where to be notified when the export is ready. */
                    readonly webhookUrl?: string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedExport"];
                };
            };
        };
    };
    readonly listExports: {
        readonly parameters: {
            readonly query?: {
                /** @description Which page, counted from 1. */
                readonly page?: number;
                /** @description Rows to a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExportList"];
                };
            };
        };
    };
    readonly getExport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The export. */
                readonly exportId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Export"];
                };
            };
        };
    };
    readonly forgotPassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: email
                     * @description Upper and lower case are the same.
                     */
                    readonly email: string;
                };
            };
        };
        readonly responses: {
            /** @description Mailed, if there is such an account. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly resetPassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What stands behind the `#` of the link in the mail. Good for one use, for 30 minutes. */
                    readonly token: string;
                    readonly password: string;
                };
            };
        };
        readonly responses: {
            /** @description The password is changed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly verifyEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What stands behind the `#` of the link in the mail. Good for one use, for 30 minutes. */
                    readonly token: string;
                };
            };
        };
        readonly responses: {
            /** @description The address is verified. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly getSecurity: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Security"];
                };
            };
        };
    };
    readonly changePassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The present password. A wrong one counts as at a sign-in. */
                    readonly current: string;
                    readonly password: string;
                };
            };
        };
        readonly responses: {
            /** @description The password is changed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly changeEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: email
                     * @description Upper and lower case are the same.
                     */
                    readonly email: string;
                    /** @description The present password. A wrong one counts as at a sign-in. */
                    readonly current: string;
                };
            };
        };
        readonly responses: {
            /** @description The link is mailed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly requestVerification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Mailed, if an address needs verification. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly beginSecondFactor: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The present password. A wrong one counts as at a sign-in. */
                    readonly current: string;
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SecondFactorSecret"];
                };
            };
        };
    };
    readonly removeSecondFactor: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The present password. A wrong one counts as at a sign-in. */
                    readonly current: string;
                    /** @description Six digits of the authenticator app, or a recovery code. Each is good for one use. */
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description Signing in then needs the password only. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly confirmSecondFactor: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Six digits of the authenticator app, or a recovery code. Each is good for one use. */
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    readonly renewRecoveryCodes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The present password. A wrong one counts as at a sign-in. */
                    readonly current: string;
                    /** @description Six digits of the authenticator app, or a recovery code. Each is good for one use. */
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    readonly endOtherSessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description They have ended. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly endSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The session. */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It has ended. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listPlans: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PlanList"];
                };
            };
        };
    };
    readonly subscribe: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description The plan to be on.
                     * @enum {string}
                     */
                    readonly planId: "plan_starter" | "plan_pro" | "plan_enterprise";
                };
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscribed"];
                };
            };
        };
    };
    readonly changePlan: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description The plan to be on.
                     * @enum {string}
                     */
                    readonly planId: "plan_starter" | "plan_pro" | "plan_enterprise";
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChangedPlan"];
                };
            };
        };
    };
    readonly cancelSubscription: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description Why the subscription is canceled, for the operators. */
                    readonly reason?: string;
                    /**
                     * @description End now instead of with the running period.
                     * @default false
                     */
                    readonly immediate?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CanceledSubscription"];
                };
            };
        };
    };
    readonly setPaymentMethod: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The payment provider's token for a card; card data itself is never sent here. */
                    readonly token: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentMethod"];
                };
            };
        };
    };
    readonly deletePaymentMethod: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listInvoices: {
        readonly parameters: {
            readonly query?: {
                /** @description Which page, counted from 1. */
                readonly page?: number;
                /** @description Rows to a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoiceList"];
                };
            };
        };
    };
    readonly payInvoice: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The invoice. */
                readonly invoiceId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
        };
    };
    readonly getSpendLimit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SpendLimit"];
                };
            };
        };
    };
    readonly setSpendLimit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What minutes beyond the plan may cost in a period, in minor units of the currency. Null: there is no limit. */
                    readonly amount: number | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SpendLimit"];
                };
            };
        };
    };
    readonly getBilling: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BillingInfo"];
                };
            };
        };
    };
    readonly getBillingProfile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BillingProfile"];
                };
            };
        };
    };
    readonly setBillingProfile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The company that is billed. Null: none. */
                    readonly companyName: string | null;
                    /** @description Its tax id. Null: none. */
                    readonly taxId: string | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BillingProfile"];
                };
            };
        };
    };
    readonly getUsage: {
        readonly parameters: {
            readonly query?: {
                /** @description `current`, `previous`, or the month `YYYY-MM`, from 2000 on, in which the period begins. */
                readonly period?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    readonly setSandboxClock: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: date-time
                     * @description The time it is to be; at or after the present one of the account.
                     */
                    readonly now: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SandboxClock"];
                };
            };
        };
    };
    readonly getWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    readonly setWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Where notifications are posted to. */
                    readonly url: string;
                    /** @description Which notifications go there. Left out: all, those of later releases too. */
                    readonly events?: readonly ("split.processing" | "split.completed" | "split.failed" | "export.completed" | "export.failed" | "usage.threshold")[];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    readonly deleteWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly testWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    readonly getWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: {
                /** @description Which page, counted from 1. */
                readonly page?: number;
                /** @description Rows to a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    readonly replayDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The delivery. */
                readonly deliveryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    readonly "on.split.processing": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SplitProcessing"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "on.split.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SplitCompleted"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "on.split.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SplitFailed"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "on.export.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ExportCompleted"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "on.export.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ExportFailed"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "on.usage.threshold": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UsageThreshold"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly "on.ping": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the notification; the same at every attempt. */
                readonly "webhook-id": string;
                /** @description Time of this attempt, as Unix time in seconds. Refuse messages that are much older. */
                readonly "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while a secret is being rotated. */
                readonly "webhook-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Ping"];
            };
        };
        readonly responses: {
            /** @description No longer wanted: this notification is not sent again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. The body of the response is not read. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
