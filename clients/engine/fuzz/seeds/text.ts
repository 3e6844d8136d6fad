/** What ffmpeg writes about its input, as the engine reads it back. */
export const FFMETADATA: readonly string[] = [
  ';FFMETADATA1\ntitle=A title\nartist=Someone\nalbum=An album\ndate=1999\nencoder=Lavf59\n',
  ';FFMETADATA1\ntitle=Escaped \\= \\; \\# \\\\ and\\\nmore lines\ngenre=\u00dcbung\ncomposer=\n[CHAPTER]\nTIMEBASE=1/1000\n',
];

export const STREAM_DESCRIPTIONS: readonly string[] = [
  "Input #0, flac, from 'pipe:0':\n  Duration: 00:00:01.00, start: 0.000000, bitrate: 9 kb/s\n    Stream #0:0: Audio: flac, 44100 Hz, stereo, s32 (24 bit)\n",
  "Input #0, mov, from 'a':\n  Stream #0:0(und): Video: h264 (High), yuv420p\n  Stream #0:1[0x2](eng): Audio: aac (LC) (mp4a / 0x6134706D), 48000 Hz, 5.1, fltp, 128 kb/s (default)\n",
];
