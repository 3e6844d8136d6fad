/** The end of a page of jobs, as a token from which the next page continues. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { JobPosition } from '../store/queue/position.ts';

export function toPageToken({ createdAt, id }: JobPosition): string {
  return `${createdAt}|${id}`;
}

/** Undefined for the first page. Throws InvalidParamsError. */
export function parsePageToken(token: string): JobPosition | undefined {
  if (token === '') return undefined;
  const [, createdAt, id] = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00)\|(\w+)$/.exec(token) ?? [];
  if (createdAt === undefined || id === undefined)
    throw new InvalidParamsError('pageToken', 'is not that of a page.');
  return { createdAt, id };
}
