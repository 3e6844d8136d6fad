import { OUTPUT_FORMATS } from '@audiosplit/client';
import { CUT_HELP } from './cut-options.ts';

export const HELP = `Usage: npm run split -- <file or URL> ... <where to cut> [options]

  npm run split -- lecture.m4a --every 10m --to mp3
  npm run split -- talk.mp3 --max-size 25MB --snap 10s --overlap 1s
  npm run split -- audiobook.m4b --chapters --name '{number} {title}' --dry-run

Splits audio files and writes the segments of each, with a manifest.json, into a folder of its own. A source that is -
is standard input. Times are seconds or [H:]M:SS[.mmm]; lengths are seconds or 90s, 5m, 1h30m.

${CUT_HELP}
  --out DIR              where to write; default: ./segments/<name of the source>. Of several sources each has a
                         folder below DIR, named after it; names that are the same are refused
  --force                write into a folder that is not empty, over files of the same name

Format and server:
  --to FORMAT            convert to one of ${OUTPUT_FORMATS.join(', ')}; default: the format of the source
  --server URL           use an audiosplit that runs elsewhere, with an API key of it that has splits:read and
                         splits:write: in the variable AUDIOSPLIT_KEY, or
  --key KEY              here, where every process of the machine can see it
  --help                 this text

Without --server, audiosplit is started for this one call and keeps its state in a temporary folder, which
needs room for the sources and the segments (TMPDIR chooses where). Variables that it reads then:
EGRESS_ALLOW_CIDRS (for a URL in your own network), FFMPEG_PATH, DECODER_SANDBOX (required, preferred or off),
SPLITTER_CONCURRENCY, LOG_LEVEL.

A source that fails leaves nothing behind and does not stop the others. Leaves with 0 when all segments of all sources
are written, 1 when a split failed, 2 when the command was called wrongly and nothing was split.
`;
