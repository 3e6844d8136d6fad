import { OUTPUT_FORMATS } from '@audiosplit/client';
import { CUT_HELP } from '../options/cut-options.ts';

const STARTED_HERE = `
Without --server, audiosplit is started for this one call and keeps its state in a temporary folder, which
needs room for the sources and the segments (TMPDIR chooses where). Variables that it reads then:
EGRESS_ALLOW_CIDRS (for a URL in your own network), FFMPEG_PATH, DECODER_SANDBOX (required, preferred or off),
SPLITTER_CONCURRENCY, LOG_LEVEL.
`;
const STORED = `
Without --server it is the one that audiosplit login has stored. To split files here, without a server: audiosplit cut.
`;

/** `startsSystem`: true for `npm run split`, which starts its own server if none is given. */
export function splitHelp(startsSystem: boolean): string {
  const call = startsSystem ? 'npm run split --' : 'audiosplit split';
  return `Usage: ${call} <file or URL> ... <where to cut> [options]

  ${call} lecture.m4a --every 10m --to mp3
  ${call} talk.mp3 --max-size 25MB --snap 10s --overlap 1s
  ${call} audiobook.m4b --chapters --name '{number} {title}' --dry-run

Splits audio files and writes the segments of each, with a manifest.json, into a folder of its own. A source that is -
is standard input; s3://CONNECTION/KEY lies in a bucket of the account. Times are seconds or [H:]M:SS[.mmm]; lengths
are seconds or 90s, 5m, 1h30m.

${CUT_HELP}
  --out DIR              where to write; default: ./segments/<name of the source>. Of several sources each has a
                         folder below DIR, named after it; names that are the same are refused
  --force                write into a folder that is not empty, over files of the same name
  --destination CONNECTION[/FOLDER]
                         put the segments into a bucket of the account, too: audiosplit connections
  --no-copy              of --destination: keep no copy and download none, but print where the segments lie

Format and server:
  --to FORMAT            convert to one of ${OUTPUT_FORMATS.join(', ')}; default: the format of the source
  --source-header TEXT   'Name: value', sent where the server fetches a URL, which may want credentials; repeatable.
                         Kept out of the manifest, but every process of the machine can see it here
  --server URL           use an audiosplit that runs elsewhere, with an API key of it that has splits:read and
                         splits:write: in the variable AUDIOSPLIT_KEY, or
  --key KEY              here, where every process of the machine can see it
  --help                 this text
${startsSystem ? STARTED_HERE : STORED}
A source that fails leaves nothing behind and does not stop the others${
    startsSystem
      ? ''
      : `; a download that breaks off leaves what has
come, and audiosplit jobs download goes on with it`
  }. Leaves with 0 when all segments of all sources
are written, 1 when a split failed, 2 when the command was called wrongly and nothing was split.
`;
}
