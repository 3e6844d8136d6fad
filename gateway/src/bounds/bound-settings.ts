/**
 * The gateway's own limits, which apply before those of a plan: one setting each, and a row in
 * docs/limits.md.
 */
import { integer, readSettings, type ValuesOf } from '@audiosplit/chassis/process/settings';

const WINDOWS = '`audiosplit_rate_limit_fullest_ratio`';
const IN_USE = '`audiosplit_gateway_bound_used`';
const REFUSED = '`audiosplit_http_requests_refused_total`';
const UPLOAD_TIMEOUT = '408 `UPLOAD_TIMEOUT`';
const RATE_LIMITED = '429 `RATE_LIMITED`';
const UNAVAILABLE = '503 `SERVICE_UNAVAILABLE`';
const MIB = 1024 * 1024;
const MANY = 1_000_000;

export const BOUND_SETTINGS = {
  ADDRESS_REQUESTS_PER_MINUTE: integer({
    what: 'calls of one address without a credential, or with a refused one, over all gateways',
    default: 60,
    min: 1,
    max: MANY,
    bound: { metric: WINDOWS, beyond: RATE_LIMITED },
  }),
  REFUSAL_DELAY_SECONDS: integer({
    what: 'how late a gateway sends a refusal to an address that it has refused 10 times in this minute; 0: at once',
    default: 2,
    min: 0,
    max: 30,
    bound: { metric: REFUSED, beyond: 'the refusal is sent' },
  }),
  MAX_DELAYED_REFUSALS: integer({
    what: 'such refusals that wait, per gateway',
    default: 500,
    min: 0,
    max: 100_000,
    bound: { metric: IN_USE, beyond: 'the refusal is sent at once, and the connection closed' },
  }),
  SUSPECT_LOOKUPS: integer({
    what: 'requests to auth, and likewise to billing, to identify callers of addresses that have used calls of their minute, per gateway; a place is free again 50 ms after its use',
    default: 8,
    min: 1,
    max: 1_000,
    bound: { metric: IN_USE, beyond: `the call waits for 3 s, then ${RATE_LIMITED}` },
  }),
  DOWNLOADS_PER_MINUTE: integer({
    what: 'downloads by signed links of one address, over all gateways',
    default: 600,
    min: 1,
    max: MANY,
    bound: { metric: WINDOWS, beyond: RATE_LIMITED },
  }),
  UPLOADS_PER_MINUTE: integer({
    what: 'requests by upload links of one address, of which a resumable upload needs one for each part, over all gateways',
    default: 1_200,
    min: 1,
    max: MANY,
    bound: { metric: WINDOWS, beyond: RATE_LIMITED },
  }),
  PAGES_PER_MINUTE: integer({
    what: 'pages and their files requested by one address, including the guide and the API description, over all gateways',
    default: 1_200,
    min: 1,
    max: MANY,
    bound: { metric: WINDOWS, beyond: RATE_LIMITED },
  }),
  CONSOLE_READS_PER_MINUTE: integer({
    what: "what one account's pages read, over all gateways; a plan that allows more requests allows as many reads",
    default: 240,
    min: 1,
    max: MANY,
    bound: { metric: WINDOWS, beyond: RATE_LIMITED },
  }),
  STREAMS_PER_ACCOUNT: integer({
    what: 'event streams of one account, per gateway',
    default: 50,
    min: 1,
    max: 10_000,
    bound: { metric: IN_USE, beyond: '429 `TOO_MANY_STREAMS`' },
  }),
  STREAMS_PER_ADDRESS: integer({
    what: 'event streams of one address, per gateway',
    default: 100,
    min: 1,
    max: 100_000,
    bound: { metric: IN_USE, beyond: '429 `TOO_MANY_STREAMS`' },
  }),
  MAX_CONNECTIONS: integer({
    what: 'connections to a gateway',
    default: 10_000,
    min: 10,
    max: MANY,
    bound: { metric: IN_USE, beyond: 'the connection is closed' },
  }),
  CONNECTIONS_PER_ADDRESS: integer({
    what: 'connections of one address to a gateway; not counted with `TRUST_PROXY`, because all of them are the proxy’s',
    default: 2_000,
    min: 1,
    max: MANY,
    bound: { metric: IN_USE, beyond: 'the connection is closed' },
  }),
  FLOOD_CONNECTIONS_PER_SECOND: integer({
    what: 'new connections of flooding addresses, per gateway, a tenth of them for one address; an address floods once it has been refused 10 times in a minute because of its window, or 20 times because it waited to be identified; not counted with `TRUST_PROXY`',
    default: 200,
    min: 1,
    max: MANY,
    bound: { metric: '`audiosplit_gateway_connections_closed_total`', beyond: 'the connection is closed' },
  }),
  REQUEST_HEADERS_SECONDS: integer({
    what: 'how long the headers of a request may take to arrive',
    default: 10,
    min: 1,
    max: 3_600,
    bound: { metric: REFUSED, beyond: '408 `REQUEST_TIMEOUT`' },
  }),
  REQUEST_BODY_SECONDS: integer({
    what: 'how long the body of a request may take to arrive, from its first byte; uploads have separate limits',
    default: 20,
    min: 1,
    max: 3_600,
    bound: { metric: REFUSED, beyond: '408 `REQUEST_TIMEOUT`' },
  }),
  UNIDENTIFIED_BODY_BYTES: integer({
    what: 'request body of an unidentified caller',
    default: 64 * 1024,
    min: 1_024,
    max: MIB,
    bound: { metric: IN_USE, beyond: '413 `PAYLOAD_TOO_LARGE`' },
  }),
  BODY_BUFFER_BYTES: integer({
    what: 'request bodies of all unidentified callers together, per gateway; the address with the most loses its newest one',
    default: 32 * MIB,
    min: MIB,
    max: 1_024 * MIB,
    bound: { metric: IN_USE, beyond: UNAVAILABLE },
  }),
  UPLOAD_BUFFER_BYTES: integer({
    what: 'memory of all uploads together, per gateway; beyond it uploads wait, and the account with the most loses its newest one',
    default: 64 * MIB,
    min: 32 * MIB,
    max: 4_096 * MIB,
    bound: { metric: IN_USE, beyond: `the upload waits, or ${UNAVAILABLE}` },
  }),
  UPLOAD_IDLE_SECONDS: integer({
    what: 'how long an upload may send no byte',
    default: 10,
    min: 1,
    max: 3_600,
    bound: { metric: REFUSED, beyond: UPLOAD_TIMEOUT },
  }),
  UPLOAD_MIN_BYTES_PER_SECOND: integer({
    what: 'how many bytes a second an upload must send, over 30 s',
    default: 16 * 1024,
    min: 1,
    max: 1_024 * MIB,
    bound: { metric: REFUSED, beyond: UPLOAD_TIMEOUT },
  }),
} as const;

/** In the units of the settings. */
export type Bounds = ValuesOf<typeof BOUND_SETTINGS>;

export const DEFAULT_BOUNDS: Bounds = readSettings(BOUND_SETTINGS, {});
