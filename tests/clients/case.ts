/** The journeys of clients/cases, which every client of the API has to make alike. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';

export interface Case {
  readonly name: string;
  /** The id of a job, by what is done with it. */
  readonly run: { readonly [Action in 'get' | 'wait' | 'cancel' | 'download']?: string };
  /** Of the completed job. */
  readonly segments?: readonly { readonly fileName: string; readonly size: number }[];
  /** In their order, by endpoint; the last one repeats. What is not here is not found. */
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
  readonly outcome: Outcome;
  /** All requests, with headers of theirs; null stands for one that is not there. */
  readonly requests?: readonly ExpectedRequest[];
  /** The same of links alone. */
  readonly downloads?: readonly ExpectedRequest[];
  readonly sameIdempotencyKey?: boolean;
  /** Is about the names of files, which a client without files leaves to its caller. */
  readonly writesFiles?: boolean;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** One of these is the body. */
  readonly job?: 'completed' | 'failed';
  readonly code?: string;
  readonly text?: string;
  readonly events?: string;
  /** Content-Length, where it is not that of the text. */
  readonly length?: number;
  /** The connection ends behind the body. */
  readonly breaks?: boolean;
  /** The connection ends before an answer. */
  readonly drops?: boolean;
}

type ExpectedRequest = { readonly endpoint: string } & Readonly<Record<string, string | null>>;

/** As each client puts it down: of a job, a code, or the files with their content. */
export type Outcome =
  | { readonly id: string; readonly status?: string }
  | { readonly error: string }
  | { readonly refused: true }
  | { readonly files: Readonly<Record<string, string>> };

/** A case before its own server. */
export interface Journey {
  readonly run: Case['run'];
  readonly url: string;
  readonly key: string;
  /** Empty. */
  readonly folder: string;
}

/** Makes the journeys; the outcomes are in their order. */
export type Client = (journeys: readonly Journey[]) => Promise<readonly Outcome[]>;

export async function readCases(): Promise<readonly Case[]> {
  return JSON.parse(await readFile(join(repositoryRoot, 'clients/cases/calls.json'), 'utf8'));
}
