/** A mistake in how the command was called; its message is one line that says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `Usage: npm run split -- <file or URL> (--every LENGTH | --max-size SIZE) [options]

Splits an audio file and writes the segments and a manifest.json into a folder.

  --every LENGTH     cut by length: 60, 90s, 5m, 1h, 1h30m
  --max-size SIZE    cut by size, no segment above it: 25MB, 25MiB, 26214400
  --to FORMAT        convert to mp3, wav, flac, ogg or aac; default: the format of the source
  --out DIR          where to write; default: ./segments/<name of the source>
  --force            write into a folder that is not empty, over files of the same name
  --server URL       use an audiosplit that runs elsewhere, with
  --key KEY          an API key of it that has splits:read and splits:write
  --help             this text

Without --server, audiosplit is started for this one split and keeps its state in a temporary folder, which
needs room for the source and the segments (TMPDIR chooses where). Variables that it heeds then:
EGRESS_ALLOW_CIDRS (for a URL in your own network), FFMPEG_PATH, SPLITTER_CONCURRENCY, LOG_LEVEL.

Leaves with 0 when all segments are written, 1 when the split failed, 2 when the command was called wrongly.
`;
