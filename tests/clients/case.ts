/** The journeys of clients/cases, which every client of the API must execute alike. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';

export interface Case {
  readonly name: string;
  /** The id of a job, keyed by the action on it. */
  readonly run: { readonly [Action in 'get' | 'wait' | 'cancel' | 'download']?: string };
  /** The segments of the completed job. */
  readonly segments?: readonly { readonly fileName: string; readonly size: number }[];
  /** In order, by endpoint; the last one repeats. Others get a 404. */
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
  readonly outcome: Outcome;
  /** All requests, with the listed headers; null means that the header is absent. */
  readonly requests?: readonly ExpectedRequest[];
  /** The same for requests to links only. */
  readonly downloads?: readonly ExpectedRequest[];
  readonly sameIdempotencyKey?: boolean;
  /** Tests file names, which a client without files leaves to its caller. */
  readonly writesFiles?: boolean;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** If set, this job is the body. */
  readonly job?: 'completed' | 'failed';
  readonly code?: string;
  readonly text?: string;
  readonly events?: string;
  /** The Content-Length if it differs from the text's. */
  readonly length?: number;
  /** The connection ends after the body. */
  readonly breaks?: boolean;
  /** The connection ends before a response. */
  readonly drops?: boolean;
}

type ExpectedRequest = { readonly endpoint: string } & Readonly<Record<string, string | null>>;

/** The form in which each client reports an outcome: a job, a code, or the files with their content. */
export type Outcome =
  | { readonly id: string; readonly status?: string }
  | { readonly error: string }
  | { readonly refused: true }
  | { readonly files: Readonly<Record<string, string>> };

/** A case with its own server. */
export interface Journey {
  readonly run: Case['run'];
  readonly url: string;
  readonly key: string;
  /** Empty. */
  readonly folder: string;
}

/** Executes the journeys; the outcomes are in the same order. */
export type Client = (journeys: readonly Journey[]) => Promise<readonly Outcome[]>;

export async function readCases(): Promise<readonly Case[]> {
  return JSON.parse(await readFile(join(repositoryRoot, 'clients/cases/calls.json'), 'utf8'));
}
