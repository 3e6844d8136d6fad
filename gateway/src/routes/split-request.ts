import type { FieldViolation } from '@audiosplit/chassis/errors';
import { outputFormats } from '@audiosplit/proto/enum-words';
import { type CreateJobRequestSchema, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { toPreviousCut } from '@audiosplit/proto/previous-cut';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { memberText } from '../http/input/json-text.ts';
import { invalidParams } from '../http/input/validation.ts';
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
    ...checkUrl('sourceUrl', body.sourceUrl),
    ...(body.webhookUrl === undefined ? [] : checkUrl('webhookUrl', body.webhookUrl)),
    ...checkMetadata(metadataJson),
  ];
  if (violations.length > 0) throw invalidParams(violations);

  const { outputFormat, webhookUrl } = body;
  const cut = toProtoCut(body);
  return {
    request: {
      sourceUrl: body.sourceUrl,
      cut,
      ...toPreviousCut(cut),
      outputFormat:
        outputFormat === undefined ? OutputFormat.UNSPECIFIED : outputFormats.toEnum(outputFormat),
    },
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(metadataJson === undefined ? {} : { metadataJson }),
  };
}

/** Whether the address may be reached is for the services to decide, which know their networks. */
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

function checkMetadata(json: string | undefined): FieldViolation[] {
  const isTooLong = json !== undefined && Buffer.byteLength(json) > MAX_METADATA_BYTES;
  return isTooLong
    ? [{ field: 'metadata', message: `must not exceed ${MAX_METADATA_BYTES} bytes as JSON` }]
    : [];
}
