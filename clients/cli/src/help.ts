import { OUTPUT_FORMATS } from '@audiosplit/client';
import { CUT_HELP, CUT_SYNOPSIS } from './cut-options.ts';

export const HELP = `Usage: npm run split -- <file or URL> ... (${CUT_SYNOPSIS}) [options]

Splits audio files and writes the segments of each, with a manifest.json, into a folder of its own. A source that is -
is standard input.

${CUT_HELP}
  --to FORMAT        convert to one of ${OUTPUT_FORMATS.join(', ')}; default: the format of the source
  --out DIR          where to write; default: ./segments/<name of the source>. Of several sources each has a folder
                     below DIR, named after it; names that are the same are refused
  --force            write into a folder that is not empty, over files of the same name
  --server URL       use an audiosplit that runs elsewhere, with an API key of it that has splits:read and
                     splits:write: in the variable AUDIOSPLIT_KEY, or
  --key KEY          here, where every process of the machine can see it
  --help             this text

Without --server, audiosplit is started for this one call and keeps its state in a temporary folder, which
needs room for the sources and the segments (TMPDIR chooses where). Variables that it reads then:
EGRESS_ALLOW_CIDRS (for a URL in your own network), FFMPEG_PATH, DECODER_SANDBOX (required, preferred or off),
SPLITTER_CONCURRENCY, LOG_LEVEL.

A source that fails leaves nothing behind and does not stop the others. Leaves with 0 when all segments of all sources
are written, 1 when a split failed, 2 when the command was called wrongly and nothing was split.
`;
