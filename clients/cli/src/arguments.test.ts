import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommand, type SplitOrder } from './arguments.ts';
import { baseNameOf } from './sources.ts';
import { UsageError } from './usage.ts';

const WORKING_DIR = '/home/ada/audio';

function parse(...args: string[]): SplitOrder {
  const command = parseCommand(args, WORKING_DIR, {});
  assert.equal(command.kind, 'split');
  return (command as Extract<typeof command, { kind: 'split' }>).order;
}

test('a file and a length are sufficient', () => {
  assert.deepEqual(parse('talks/day one.m4a', '--every', '10m'), {
    tasks: [
      {
        source: { kind: 'file', path: '/home/ada/audio/talks/day one.m4a' },
        outDir: '/home/ada/audio/segments/day one',
      },
    ],
    settings: { splitMode: 'duration', segmentDuration: 600 },
    sourceHeaders: undefined,
    force: false,
    server: undefined,
  });
});

test('a URL, a size, a format, a folder and a server are accepted', () => {
  assert.deepEqual(
    parse(
      ...[
        'https://example.com/a/caf%C3%A9.wav?x=1',
        '--max-size',
        '25MiB',
        '--to',
        'MP3',
        '--out',
        '/tmp/out',
      ],
      ...['--force', '--server', 'https://audio.example.com/api/v1/', '--key', 'ask_live_x'],
    ),
    {
      tasks: [
        { source: { kind: 'url', url: 'https://example.com/a/caf%C3%A9.wav?x=1' }, outDir: '/tmp/out' },
      ],
      settings: { splitMode: 'fileSize', maxFileSize: 26_214_400, outputFormat: 'mp3' },
      sourceHeaders: undefined,
      force: true,
      server: { baseUrl: 'https://audio.example.com', apiKey: 'ask_live_x' },
    },
  );
});

test('several sources each get their own folder', () => {
  const dirsOf = ({ tasks }: SplitOrder) => tasks.map(({ outDir }) => outDir);
  const sources = ['x/a.mp3', '-', 'https://example.com/b.mp3'];
  assert.deepEqual(dirsOf(parse(...sources, '--every', '60')), [
    '/home/ada/audio/segments/a',
    '/home/ada/audio/segments/stdin',
    '/home/ada/audio/segments/b',
  ]);
  assert.deepEqual(dirsOf(parse(...sources, '--every', '60', '--out', '/tmp/out')), [
    '/tmp/out/a',
    '/tmp/out/stdin',
    '/tmp/out/b',
  ]);
  assert.deepEqual(dirsOf(parse('-', '--every', '60', '--out', 'out')), ['/home/ada/audio/out']);
});

test('the key is read from AUDIOSPLIT_KEY unless --key gives another', () => {
  const keyOf = (env: Record<string, string>, ...args: readonly string[]) => {
    const command = parseCommand(['a.mp3', '--every', '60', ...args], WORKING_DIR, env);
    assert.equal(command.kind, 'split');
    return (command as Extract<typeof command, { kind: 'split' }>).order.server?.apiKey;
  };
  const env = { AUDIOSPLIT_KEY: 'of the environment' };
  assert.equal(keyOf(env, '--server', 'http://x'), 'of the environment');
  assert.equal(keyOf(env, '--server', 'http://x', '--key', 'given'), 'given');
  assert.equal(keyOf(env), undefined, 'a product of its own has a key of its own');
});

test('--help takes precedence over errors', () => {
  assert.deepEqual(parseCommand(['--help'], WORKING_DIR, {}), { kind: 'help' });
  assert.deepEqual(parseCommand(['a.mp3', 'a.mp3', '--help'], WORKING_DIR, {}), { kind: 'help' });
});

const MISTAKES: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['no source', ['--every', '60'], /name the file or URL/],
  ['an empty source', ['', '--every', '60'], /is empty/],
  ['a file twice', ['a.mp3', './x/../a.mp3', '--every', '60'], /audio\/a\.mp3 is given twice/],
  ['standard input twice', ['-', '-', '--every', '60'], /- is given twice/],
  [
    'two of one name',
    ['x/a.mp3', 'y/A.wav', '--every', '60'],
    /x\/a\.mp3 and .*y\/A\.wav .*segments\/A: .*--out/,
  ],
  ['a file named like the input', ['-', 'stdin.mp3', '--every', '60'], /- and .*stdin\.mp3 would both/],
  ['no cut', ['a.mp3'], /--every 60, --silence, .* or --max-size 25MB/],
  ['only a cap', ['a.mp3', '--max-duration', '60'], /say how to cut/],
  ['two cuts', ['a.mp3', '--every', '60', '--parts', '4'], /--every and --parts exclude one another/],
  ['a length of zero', ['a.mp3', '--every', '0'], /--every 0: give whole seconds from 1 to 86400/],
  ['a length beyond a day', ['a.mp3', '--every', '25h'], /from 1 to 86400/],
  ['half a second', ['a.mp3', '--every', '0.5'], /whole seconds/],
  ['a size below the least', ['a.mp3', '--max-size', '65535'], /from 65536 to 2147483648 bytes/],
  ['a size above the most', ['a.mp3', '--max-size', '3GB'], /from 65536 to 2147483648 bytes/],
  ['an ambiguous unit', ['a.mp3', '--max-size', '25M'], /25MB, 25MiB/],
  ['an unknown format', ['a.mp3', '--every', '60', '--to', 'wma'], /--to wma: choose one of mp3/],
  ['an unknown option', ['a.mp3', '--evry', '60'], /Unknown option '--evry'; --help/],
  ['an option without its value', ['a.mp3', '--every'], /'--every <value>' argument missing/],
  ['an option in place of a value', ['a.mp3', '--every', '--to', 'mp3'], /'--every' argument is ambiguous/],
  ['an unsupported scheme', ['ftp://example.com/a.mp3', '--every', '60'], /http:\/\/ or https:\/\//],
  ['credentials in the URL', ['http://ada:pw@example.com/a', '--every', '60'], /user name or password/],
  ['a server without a key', ['a.mp3', '--every', '60', '--server', 'http://x'], /set AUDIOSPLIT_KEY/],
  ['a key without a server', ['a.mp3', '--every', '60', '--key', 'k'], /--key goes with --server/],
  ['no copy at all', ['a.mp3', '--every', '60', '--no-copy'], /--no-copy goes with --destination/],
  [
    'an output folder without a copy',
    ['a.mp3', '--every', '60', '--destination', 'archive', '--no-copy', '--out', 'x'],
    /--out and --force do not go with it/,
  ],
  [
    'a bucket for a connection',
    ['a.mp3', '--every', '60', '--destination', 's3://audio/x'],
    /give the name of a connection/,
  ],
  [
    'a server that is not a URL',
    ['a.mp3', '--every', '60', '--server', 'x', '--key', 'k'],
    /give its address/,
  ],
];

for (const [name, args, message] of MISTAKES) {
  test(`${name} is rejected in one line`, () => {
    assert.throws(
      () => parseCommand(args, WORKING_DIR, {}),
      (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      },
    );
  });
}

test('the folder is named after the source, for any URL', () => {
  const nameOf = (url: string) => baseNameOf({ kind: 'url', url });
  assert.equal(nameOf('https://example.com/shows/episode.7.mp3?token=a/b'), 'episode.7');
  assert.equal(nameOf('https://example.com/'), 'audio');
  assert.equal(nameOf('https://example.com/%2e%2e%2fetc%2fpasswd.mp3'), 'passwd');
  assert.equal(nameOf('https://example.com/%2e%2e'), 'audio');
  assert.equal(nameOf('https://example.com/100%.mp3'), '100%');
  assert.equal(baseNameOf({ kind: 'file', path: '/a/.hidden' }), '.hidden');
});

test('a destination is a connection and a folder in it; a copy is kept unless it is switched off', () => {
  const settingsOf = (...args: string[]) => parse('a.mp3', '--parts', '2', ...args).settings;
  const settings = { splitMode: 'parts', parts: 2 };
  assert.deepEqual(settingsOf('--destination', 'archive'), {
    ...settings,
    destination: { connection: 'archive' },
  });
  assert.deepEqual(settingsOf('--destination', 'con_1/shows/7', '--no-copy'), {
    ...settings,
    destination: { connection: 'con_1', prefix: 'shows/7' },
    keepCopy: false,
  });
});

test('a source may be in a bucket of the account', () => {
  const url = 's3://archive/shows/episode 7.mp3';
  assert.deepEqual(parse(url, '--every', '60').tasks, [
    { source: { kind: 'url', url }, outDir: '/home/ada/audio/segments/episode 7' },
  ]);
});

test('headers for the source are given one by one, and an error repeats no value', () => {
  const url = 'https://example.com/a.mp3';
  const headersOf = (...given: string[]) =>
    parse(url, '--every', '10m', ...given.flatMap((each) => ['--source-header', each])).sourceHeaders;
  assert.deepEqual(headersOf('Authorization: Bearer my-token', 'X-Trace:a: b '), {
    Authorization: 'Bearer my-token',
    'X-Trace': 'a: b',
  });
  for (const wrong of [
    ['my-token'],
    ['Authorization:'],
    ['Bad name: my-token'],
    ['A: my-token', 'a: my-token'],
  ]) {
    assert.throws(
      () => headersOf(...wrong),
      (error) => error instanceof UsageError && !error.message.includes('my-token'),
    );
  }
  assert.throws(() => parse('a.mp3', '--every', '10m', '--source-header', 'A: b'), /goes with URLs/);
});
