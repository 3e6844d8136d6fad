import { gzipSync } from 'node:zlib';
import { joined, latin1, noise, repeated, u32be, u32le } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

function hls(...uris: readonly string[]): string {
  const items = uris.map((uri) => `#EXTINF:9.0,\n${uri}\n`).join('');
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:9\n#EXT-X-MEDIA-SEQUENCE:0\n${items}#EXT-X-ENDLIST\n`;
}

function dash(baseUrl: string): string {
  const representation = `<Representation id="0" bandwidth="1"><BaseURL>${baseUrl}</BaseURL><SegmentBase indexRange="0-99"/></Representation>`;
  return `<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S"><Period><AdaptationSet mimeType="audio/mp4">${representation}</AdaptationSet></Period></MPD>`;
}

function sdp(port: number): string {
  return `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio ${port} RTP/AVP 0\n`;
}

/** Everything that can name another file or host, naming the traps. */
function texts({ traps }: Material): readonly string[] {
  const { audioPath, audioFromWorkDir, secretPath, origin, port } = traps;
  const url = `${origin}/x.mp3`;
  return [
    ...[audioPath, `file://${audioPath}`, audioFromWorkDir, url].flatMap((uri) => [
      hls(uri),
      `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${uri}\n`,
      `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXT-X-KEY:METHOD=AES-128,URI="${uri}"\n#EXT-X-MAP:URI="${uri}"\n#EXTINF:9,\n${uri}\n`,
      `ffconcat version 1.0\nfile '${uri}'\n`,
      dash(uri),
      `[playlist]\nFile1=${uri}\nNumberOfEntries=1\n`,
      `<smil><body><audio src="${uri}"/></body></smil>`,
      `[Reference]\nRef1=${uri}\n`,
      `<asx version="3.0"><entry><ref href="${uri}"/></entry></asx>`,
    ]),
    hls(`concat:${url}|subfile,,start,0,end,64,,:${secretPath}`),
    hls(`crypto:${url}`, `data:audio/mpeg;base64,//uQxAAA`, `subfile,,start,0,end,9,,:${secretPath}`),
    hls(`tcp://127.0.0.1:${port}`, `udp://127.0.0.1:${port}`, `rtmp://127.0.0.1:${port}/x`),
    hls(`cache:${url}`, `async:${url}`, `tee:${url}`, `unix:${secretPath}`, `gopher://127.0.0.1:${port}/`),
    sdp(port),
    sdp(port).replaceAll('\n', '\r\n'),
  ];
}

/** What the texts may hide behind: the magic of every container that ffmpeg is started for. */
const MAGICS: readonly string[] = [
  'RIFF\0\0\0\0WAVE',
  'RF64\0\0\0\0WAVE',
  'RIFF\0\0\0\0AVI ',
  'fLaC',
  'OggS',
  'caff',
  'wvpk',
  '.snd',
  'TTA1',
  'FLV\u0001',
  'FORM\0\0\0\0AIFF',
  '\u001aE\u00df\u00a3',
  '\u0030\u0026\u00b2\u0075\u008e\u0066\u00cf\u0011',
  'riff\u002e\u0091\u00cf\u0011',
  '\0\0\u0001\u00ba',
  '\0\0\0\u0008ftyp',
  '\0\0\0\u0008moov',
  'ID3\u0004\0\0\0\0\0\0',
];

const XXE = (path: string) =>
  `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file://${path}">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`;

const PLAIN: readonly (readonly [name: string, make: HostileInput['make']])[] = [
  ['nothing', () => Buffer.alloc(0)],
  ['one byte', () => Buffer.alloc(1)],
  ['zeros', () => Buffer.alloc(1_000_000)],
  ['noise', () => noise(300_000)],
  ['prose', () => latin1('It was a dark and stormy night. '.repeat(2_000))],
  [
    'a web page',
    () => latin1('<!DOCTYPE html><html><head><title>404</title></head><body>Not found</body></html>'),
  ],
  ['an svg with an external entity', ({ traps }) => latin1(XXE(traps.secretPath))],
  ['a zip', () => joined('PK\u0003\u0004\u0014\0\0\0\u0008\0', noise(2_000))],
  ['a gzipped wav', async (m) => gzipSync(await m.audio('a.wav'))],
  ['a gzip bomb', () => gzipSync(Buffer.alloc(20_000_000))],
  ['a PDF', () => joined('%PDF-1.7\n', noise(2_000))],
  ['a Windows program', () => joined('MZ\u0090\0', noise(2_000))],
  ['a Linux program', () => joined('\u007fELF\u0002\u0001\u0001', noise(2_000))],
  ['a script', () => latin1('#!/bin/sh\nexec cat /etc/passwd\n')],
  ['a JPEG', () => joined('\u00ff\u00d8\u00ff\u00e0\0\u0010JFIF\0', noise(2_000))],
  ['a PNG', () => joined('\u0089PNG\r\n\u001a\n', noise(2_000))],
  ['a MIDI', () => joined('MThd', u32be(6), '\0\u0001\0\u0001\0`MTrk', u32be(4), '\0\u00ff/\0')],
];

const SHAPELESS: readonly (readonly [name: string, make: HostileInput['make']])[] = [
  ['matroska that is cut off after its magic', () => latin1('\u001aE\u00df\u00a3')],
  [
    'matroska of elements of unknown size',
    () =>
      joined(
        '\u001aE\u00df\u00a3\u0080',
        repeated(latin1('\u0018S\u0080g\u0001\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff'), 50_000),
      ),
  ],
  [
    'matroska with an element of exabytes',
    () =>
      joined(
        '\u001aE\u00df\u00a3\u0001\0\0\0\0\0\0\0',
        '\u0018S\u0080g\u0001\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00fe',
        noise(2_000),
      ),
  ],
  [
    'aiff at 0 Hz',
    () =>
      joined(
        'FORM',
        u32be(1_000),
        'AIFFCOMM',
        u32be(18),
        '\0\u0002',
        u32be(0xffffffff),
        '\0\u0010',
        Buffer.alloc(10),
        'SSND',
        u32be(900),
        Buffer.alloc(900),
      ),
  ],
  [
    'caf of negative sizes',
    () => joined('caff\0\u0001\0\0desc', u32be(0xffffffff, 0xffffffff), noise(2_000)),
  ],
  [
    'au of 4 billion channels',
    () => joined('.snd', u32be(24, 0xffffffff, 3, 8_000, 0xffffffff), noise(2_000)),
  ],
  ['au whose header is 4 GB', () => joined('.snd', u32be(0xfffffff0, 0xffffffff, 3, 8_000, 2))],
  [
    'asf of objects of no size',
    () =>
      joined(
        '\u0030\u0026\u00b2\u0075\u008e\u0066\u00cf\u0011\u00a6\u00d9\0\u00aa\0b\u00cel',
        Buffer.alloc(8),
        repeated(Buffer.alloc(24), 1_000),
      ),
  ],
  [
    'wavpack of 4 billion samples',
    () => joined('wvpk', u32le(0xfffffff0, 0x0410, 0xffffffff, 0, 0xffffffff, 0, 0), noise(2_000)),
  ],
  [
    'tta of 65535 channels',
    () => joined('TTA1\u0001\0\u00ff\u00ff\u0010\0', u32le(44_100, 0xffffffff, 0), noise(2_000)),
  ],
  ['amr of headers alone', () => joined('#!AMR\n', repeated(Buffer.of(0x7c), 5_000))],
  [
    'mpeg transport of empty packets',
    () => repeated(joined('G\u001f\u00ff\u0010', Buffer.alloc(184, 0xff)), 5_000),
  ],
  [
    'mpeg program stream without streams',
    () => repeated(joined('\0\0\u0001\u00ba', Buffer.alloc(10, 0x44)), 5_000),
  ],
  [
    'flv of tags of 16 MB',
    () => joined('FLV\u0001\u0004', u32be(9, 0), '\u0008\u00ff\u00ff\u00ff', noise(2_000)),
  ],
  [
    'avi without streams',
    () => joined('RIFF', u32le(0xffffffff), 'AVI LIST', u32le(0xffffffff), 'hdrl', noise(2_000)),
  ],
  ['ac3 of noise', () => joined('\u000bw', noise(5_000))],
];

export const DISGUISE_INPUTS: readonly HostileInput[] = [
  ...[...PLAIN, ...SHAPELESS].map(([name, make]) => ({ name, make, ends: 'UNSUPPORTED_MEDIA' }) as const),
  { name: 'aac with pictures in matroska', make: (m) => video(m, 'v.mkv'), ends: 3 },
  { name: 'aac with pictures in mp4', make: (m) => video(m, 'v.mp4'), ends: 3 },
  {
    name: 'aac with pictures in fragments of mp4',
    make: (m) => video(m, 'f.mp4', '-movflags', '+frag_keyframe+empty_moov'),
    ends: 3,
  },
  { name: 'pictures without sound', make: (m) => video(m, 'silent.mp4', '-an'), ends: 'UNSUPPORTED_MEDIA' },
  { name: 'opus in webm', make: (m) => m.audio('a.webm', '-c:a', 'libopus'), ends: 3 },
  {
    name: 'webm of a stream, its length unknown',
    make: (m) => m.audio('live.webm', '-c:a', 'libopus', '-live', '1'),
    ends: 3,
  },
  { name: 'ac3 of six channels', make: (m) => m.audio('a.ac3', '-ac', '6'), ends: 3 },
];

/** Pictures that move, a frame a second. */
function video(material: Material, name: string, ...outputArgs: string[]): Promise<Buffer> {
  const pictures = 'color=c=red:s=32x32:r=1:d=6';
  return material.audio(
    name,
    '-f',
    'lavfi',
    '-i',
    pictures,
    '-map',
    '0:a',
    '-map',
    '1:v',
    '-c:v',
    'mpeg4',
    '-c:a',
    'aac',
    ...outputArgs,
  );
}

/** All texts as they are, and each kind of text behind each magic: too many for lines of a table, and all end alike. */
export function playlists(material: Material): readonly Buffer[] {
  const all = texts(material);
  const disguised = MAGICS.flatMap((magic, index) =>
    [0, 1, 2].map((kind) => joined(magic, all[(index + kind * 7) % all.length] ?? '')),
  );
  return [...all.flatMap((text) => [joined(text), joined('\u00ef\u00bb\u00bf\n', text)]), ...disguised];
}
