/** Where else than with the service the segments of a job go. */
import type { CreateJobBody } from '@audiosplit/gateway/schemas/splits';

/** As chosen in the form. */
export interface Destination {
  /** Name or id; empty: none. */
  readonly connection: string;
  /** As typed. */
  readonly prefix: string;
  readonly keepsNoCopy: boolean;
}

/** Of the call that creates a job, and of the job. */
export type DestinationBody = Pick<CreateJobBody, 'destination' | 'keepCopy'>;

export const NO_DESTINATION: Destination = { connection: '', prefix: '', keepsNoCopy: false };

export function toDestinationBody({ connection, prefix, keepsNoCopy }: Destination): DestinationBody {
  if (connection === '') return {};
  return {
    destination: { connection, ...(prefix.trim() === '' ? {} : { prefix: prefix.trim() }) },
    ...(keepsNoCopy ? { keepCopy: false } : {}),
  };
}

export function toDestination({ destination, keepCopy }: DestinationBody): Destination {
  if (destination === undefined) return NO_DESTINATION;
  const { connection, prefix = '' } = destination;
  return { connection, prefix, keepsNoCopy: keepCopy === false };
}

/** Empty without one. */
export function describeDestination({ destination, keepCopy }: DestinationBody): string {
  if (destination === undefined) return '';
  const { connection, prefix = '' } = destination;
  const folder = prefix === '' ? connection : `${connection}/${prefix.replace(/\/$/, '')}`;
  return keepCopy === false ? `into ${folder} alone` : `into ${folder}`;
}

/** Of a connection. */
export function folderOf({
  bucket,
  prefix = '',
}: {
  readonly bucket: string;
  readonly prefix?: string | undefined;
}): string {
  return `s3://${bucket}/${prefix}`;
}

interface StoredSegment {
  readonly location?: string | undefined;
  readonly fileName: string;
}

/** The folder in the bucket that has all segments of a job. Undefined: they lie in none. */
export function folderOfSegments([first]: readonly StoredSegment[]): string | undefined {
  if (first?.location === undefined) return undefined;
  return first.location.slice(0, -first.fileName.length);
}
