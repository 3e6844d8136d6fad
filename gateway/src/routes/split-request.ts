import type { FieldViolation } from '@audiosplit/chassis/errors';
import { BUCKET_ADDRESS_FAULT, isBucketAddress, parseBucketAddress } from '@audiosplit/proto/bucket-address';
import { outputFormats } from '@audiosplit/proto/enum-words';
import { type CreateJobRequestSchema, type Job, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { toPreviousCut } from '@audiosplit/proto/previous-cut';
import { faultOfSourceHeaders, type SourceHeaders, toSourceHeaders } from '@audiosplit/proto/source-headers';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ApiError } from '../http/errors/api-error.ts';
import { MAX_BODY_BYTES } from '../http/input/json-body.ts';
import { memberText } from '../http/input/json-text.ts';
import { invalidParams, tooManyItems } from '../http/input/validation.ts';
import { present } from '../mapping/messages.ts';
import { MAX_ITEMS } from '../schemas/cut-fields.ts';
import { checkCut, toProtoCut } from '../schemas/split-modes.ts';
import { type CreateJobBody, MAX_METADATA_BYTES } from '../schemas/splits.ts';

/**
 * Checks the rules of a creation that its schema cannot express, and builds the request to the jobs service. Metadata
 * stays text. Throws 400 INVALID_PARAMS with every violation.
 */
export function toCreateJobRequest(
  body: CreateJobBody,
  bodyText: string,
): MessageInitShape<typeof CreateJobRequestSchema> {
  const metadataJson = body.metadata === undefined ? undefined : memberText(bodyText, 'metadata');
  const violations = [
    ...checkCut(body, body.outputFormat),
    ...checkSourceUrl('sourceUrl', body.sourceUrl),
    ...checkSourceHeaders(body.sourceUrl, body.sourceHeaders),
    ...(body.webhookUrl === undefined ? [] : checkUrl('webhookUrl', body.webhookUrl)),
    ...checkMetadata(metadataJson),
    ...checkKeepCopy(body),
  ];
  if (violations.length > 0) throw invalidParams(violations);

  const { outputFormat, webhookUrl, sourceHeaders, destination, keepCopy = true } = body;
  const cut = toProtoCut(body);
  return {
    request: {
      sourceUrl: body.sourceUrl,
      cut,
      ...toPreviousCut(cut),
      outputFormat:
        outputFormat === undefined ? OutputFormat.UNSPECIFIED : outputFormats.toEnum(outputFormat),
      ...(destination === undefined ? {} : { destination: { ...destination, keepCopy } }),
    },
    ...(sourceHeaders === undefined ? {} : { sourceHeaders: toSourceHeaders(sourceHeaders) }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(metadataJson === undefined ? {} : { metadataJson }),
  };
}

/**
 * The request of a job, to be sent again. A job stores only the names of its source headers, because their
 * values are deleted when it ends. They must be given again, or an empty object if the source needs none any
 * more. Throws 400 INVALID_PARAMS.
 */
export function toRetryRequest(
  { request, webhookUrl, metadataJson }: Job,
  sourceHeaders: SourceHeaders | undefined,
): MessageInitShape<typeof CreateJobRequestSchema> {
  const asked = present(request, "a job's request");
  const { sourceUrl, sourceHeaderNames } = asked;
  const missing = sourceHeaders === undefined ? sourceHeaderNames : [];
  const violations =
    missing.length > 0
      ? [{ field: 'sourceHeaders', message: `must be given again: ${missing.join(', ')}` }]
      : checkSourceHeaders(sourceUrl, sourceHeaders);
  if (violations.length > 0) throw invalidParams(violations);
  return {
    request: asked,
    ...(sourceHeaders === undefined ? {} : { sourceHeaders: toSourceHeaders(sourceHeaders) }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(metadataJson === undefined ? {} : { metadataJson }),
  };
}

const LISTS = ['chapters', 'ranges', 'splitPoints'] as const;

/**
 * Throws 413 PAYLOAD_TOO_LARGE if the body exceeds the API's limit without a list that justifies it. If a
 * list is too long its entries are not validated: half a million of them would block the gateway for a
 * second.
 */
export function requireFittingBody(body: unknown, bodyText: string): void {
  if (Buffer.byteLength(bodyText) <= MAX_BODY_BYTES) return;
  const given = LISTS.filter((list) => Array.isArray(Object(body)[list]));
  if (given.length === 0) {
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB.');
  }
  const tooLong = given
    .filter((list) => Object(body)[list].length > MAX_ITEMS[list])
    .map((list) => tooManyItems(list, MAX_ITEMS[list]));
  if (tooLong.length > 0) throw invalidParams(tooLong);
}

/** The services decide whether the address may be reached, because they know their networks. */
export function checkUrl(field: string, value: string): FieldViolation[] {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return [{ field, message: 'must be a URL that begins with http:// or https://' }];
  }
  if (url.username !== '' || url.password !== '') {
    return [{ field, message: 'must not hold a user name or password' }];
  }
  return [];
}

function checkKeepCopy({ keepCopy, destination }: CreateJobBody): FieldViolation[] {
  if (keepCopy !== false || destination !== undefined) return [];
  return [{ field: 'keepCopy', message: 'must not be false without a destination' }];
}

export function checkSourceUrl(field: string, value: string): FieldViolation[] {
  if (!isBucketAddress(value)) return checkUrl(field, value);
  return parseBucketAddress(value) === undefined ? [{ field, message: BUCKET_ADDRESS_FAULT }] : [];
}

function checkSourceHeaders(sourceUrl: string, headers: SourceHeaders = {}): FieldViolation[] {
  const isInBucket = isBucketAddress(sourceUrl) && Object.keys(headers).length > 0;
  const message = isInBucket ? 'must not be given for a source in a bucket' : faultOfSourceHeaders(headers);
  return message === undefined ? [] : [{ field: 'sourceHeaders', message }];
}

export function checkMetadata(json: string | undefined): FieldViolation[] {
  const isTooLong = json !== undefined && Buffer.byteLength(json) > MAX_METADATA_BYTES;
  return isTooLong
    ? [{ field: 'metadata', message: `must not exceed ${MAX_METADATA_BYTES} bytes as JSON` }]
    : [];
}
