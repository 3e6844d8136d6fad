import { OUTPUT_FORMATS } from '@audiosplit/client';
import { CUT_HELP } from '../options/cut-options.ts';

export const CUT_COMMAND_HELP = `Usage: audiosplit cut <file> ... <where to cut> [options]

  audiosplit cut talk.m4a --every 10m --max-size 25MB --snap 5s --to mp3 --speech -o parts/
  audiosplit cut 'album/*.flac' --silence --min-silence 2s
  audiosplit cut audiobook.m4b --chapters --name '{number} {title}' --plan

Cuts audio files on this machine: no server, no account, no network. Sources are files, patterns in quotes, and - for
standard input. Copies of mp3, wav, flac, ogg, aac and m4a need no ffmpeg; what is encoded uses the ffmpeg that came with
the package, or FFMPEG_PATH. Times are seconds or [H:]M:SS[.mmm]; lengths are seconds or 90s, 5m, 1h30m.

${CUT_HELP}
  --json                 a line of JSON for each segment, as soon as it is whole
  --out DIR, -o DIR      where to write; default: ./segments/<name of the source>. Of several sources each has a
                         folder below DIR, named after it; names that are the same are refused
  --force                overwrite files of the same name
  --to FORMAT            convert to one of ${OUTPUT_FORMATS.join(', ')}; default: the format of the source
  --help, -h             this text

A file has its name only when it is whole. A source that fails does not stop the others. Leaves with 0 when all sources are
cut, 1 when one failed, 2 when the command was called wrongly and nothing was cut, 130 after Ctrl-C.
`;
