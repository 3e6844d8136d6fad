/** `audiosplit stitch`: one transcript of a recording, from those of its segments. Exit codes: 0, 1, 2 (called wrongly). */
import { readFile, writeFile } from 'node:fs/promises';
import { stitch, type TranscriptAnswer, writeTranscript } from '@audiosplit/client';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { messageOf } from '../message-of.ts';
import { UsageError } from '../usage.ts';
import { findTranscript, readPieces } from './read-pieces.ts';
import { parseStitchOrder, type StitchOrder } from './stitch-arguments.ts';

const HELP = `Usage: audiosplit stitch <folder or manifest> [transcript.json ...] [options]

  audiosplit stitch parts > talk.txt
  audiosplit stitch parts --out talk.srt
  audiosplit stitch segments.jsonl one.json two.json --to vtt

Puts the transcripts of segments together to one of the recording: times count from its beginning, and what was said in
an overlap stands once. The folder is one that audiosplit split has written; in place of it a file will do that lists the
segments: manifest.json, a job of the API, or what audiosplit cut --json has printed.

A transcript is the answer of the service as it came (OpenAI, Groq, Deepgram, Azure), as JSON. Without any named, that of
talk-0.mp3 is talk-0.json or talk-0.mp3.json beside it; otherwise one for each segment, in their order.

  --to FORMAT            text, srt, vtt or json; default: by the name of --out, else text
  --out FILE             where to write; default: standard output
  --force                write over a file that is there
  --help                 this text
`;

/** Resolves to the exit code. */
export async function runStitchCommand({
  args,
  workingDir,
  stdout,
  stderr,
}: CommandContext): Promise<number> {
  try {
    const order = parseStitchOrder(args, workingDir);
    if (order === undefined) {
      stdout.write(HELP);
      return EXIT_CODES.ok;
    }
    const text = await stitchFiles(order);
    if (order.out === undefined) stdout.write(text);
    else await write(order.out, text, order.force);
    return EXIT_CODES.ok;
  } catch (error) {
    const isExplained = error instanceof UsageError || (error instanceof Error && 'syscall' in error);
    stderr.write(`${isExplained ? messageOf(error) : String((error as Error).stack ?? error)}\n`);
    return error instanceof UsageError ? EXIT_CODES.misused : EXIT_CODES.failed;
  }
}

async function stitchFiles({ segments, transcripts: given, format }: StitchOrder): Promise<string> {
  const pieces = await readPieces(segments);
  if (given.length > 0 && given.length !== pieces.length)
    throw new UsageError(`there are ${pieces.length} segments, and ${given.length} transcripts`);
  const paths = given.length > 0 ? given : await Promise.all(pieces.map(findTranscript));
  return writeTranscript(stitch(pieces, await Promise.all(paths.map(readAnswer))), format);
}

async function readAnswer(path: string): Promise<TranscriptAnswer> {
  const text = await readFile(path, 'utf8');
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
  const fields = ['text', 'segments', 'results', 'phrases'];
  const isAnswer = Array.isArray(answer) || fields.some((field) => field in Object(answer));
  if (!isAnswer) throw new UsageError(`${path} is no transcript: it has none of ${fields.join(', ')}`);
  return answer as TranscriptAnswer;
}

async function write(path: string, text: string, isForced: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: isForced ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UsageError(`${path} exists: choose another --out, or add --force`);
  }
}
