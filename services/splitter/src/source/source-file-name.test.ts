import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sourceFileName } from './source-file-name.ts';

const URL_WITH_NAME = 'https://media.test/shows/from-url.mp3?x=y.wav#z';

/** The header as it arrives: its bytes are read as Latin-1. */
const asReceived = (header: string) => Buffer.from(header, 'utf8').toString('latin1');

// Covers D-2.29
test('Content-Disposition takes precedence over the URL', () => {
  for (const [header, expected] of [
    ['attachment; filename=plain.mp3', 'plain.mp3'],
    ['attachment; filename="quoted name.mp3"', 'quoted name.mp3'],
    ['ATTACHMENT ; FILENAME = "upper.mp3"', 'upper.mp3'],
    ['inline;filename="a;b=c.mp3"', 'a;b=c.mp3'],
    ['attachment; filename="say \\"hi\\".mp3"', 'say hi.mp3'],
    ['attachment; filename="raw é.mp3"', 'raw é.mp3'],
    ['attachment; filename="euro.mp3"; filename*=UTF-8\'\'%e2%82%ac.mp3', '€.mp3'],
    ["attachment; filename*=utf-8'de'M%C3%BCller.mp3; filename=m.mp3", 'Müller.mp3'],
    ["attachment; filename*=ISO-8859-1''caf%e9.mp3", 'café.mp3'],
    ["attachment; filename*=koi8-r''%c1.mp3; filename=known.mp3", 'known.mp3'],
    ['attachment; filename=first.mp3; filename=second.mp3', 'first.mp3'],
    ['attachment; x="; filename=inside.mp3"; filename=outside.mp3', 'outside.mp3'],
  ] as const) {
    assert.equal(sourceFileName(URL_WITH_NAME, asReceived(header)), expected, header);
  }
});

test('the URL is used if the header has no usable name', () => {
  for (const header of [
    undefined,
    '',
    'attachment',
    'filename=no-type.mp3',
    'attachment; filename=',
    'attachment; filename=""',
    'attachment; filename="../.."',
    'attachment; filename="\u202e\u200b"',
    "attachment; filename*=UTF-8''%00%0a",
  ]) {
    assert.equal(sourceFileName(URL_WITH_NAME, header), 'from-url.mp3', String(header));
  }
});

// Covers D-2.29 D-2.30
test('the last path part of the URL is decoded', () => {
  for (const [url, expected] of [
    ['https://media.test/a/b%20c.mp3', 'b c.mp3'],
    ['https://media.test/a/%E6%97%A5%E6%9C%AC.flac', '日本.flac'],
    ['https://media.test/日本.flac', '日本.flac'],
    ['https://media.test/a/100%.mp3', '100%.mp3'],
    ['https://media.test/a/%ff.mp3', 'mp3'],
    ['https://media.test/a/..%2f..%2fetc%2fpasswd', 'passwd'],
    ['https://media.test/a/c:%5cwindows%5csystem.ini', 'system.ini'],
    ['https://media.test/folder/', 'folder'],
    ['https://media.test/', 'audio'],
    ['https://media.test/%2e%2e%2f', 'audio'],
    ['https://media.test/%00', 'audio'],
    ['no URL', 'audio'],
  ] as const) {
    assert.equal(sourceFileName(url), expected, url);
  }
});

// Covers D-2.30
test('hostile names are cleaned', () => {
  for (const [name, expected] of [
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/etc/', 'etc'],
    ['.htaccess', 'htaccess'],
    ['...hidden.mp3', 'hidden.mp3'],
    ['a.mp3...', 'a.mp3'],
    ['a.mp3 ', 'a.mp3'],
    ['a\r\nSet-Cookie: x=1.mp3', 'aSet-Cookie x=1.mp3'],
    ['a\0.mp3', 'a.mp3'],
    ['fdp.\u202e3pm.exe', 'fdp.3pm.exe'],
    ['<b>|?*:.mp3', 'b.mp3'],
    ['CON', '_CON'],
    ['nul.mp3', '_nul.mp3'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['console.mp3', 'console.mp3'],
    ['e\u0301.mp3', 'é.mp3'],
    ['a \t  b.mp3', 'a b.mp3'],
    ['$(reboot);.mp3', '$(reboot);.mp3'],
  ] as const) {
    const header = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    assert.equal(sourceFileName(URL_WITH_NAME, header), expected, JSON.stringify(name));
  }
});

test('a long name is cut between characters and keeps its extension', () => {
  const name = sourceFileName(`https://media.test/${encodeURIComponent('🎧'.repeat(300))}.mp3`);
  assert.match(name, /^(?:🎧){49}\.mp3$/u);
  assert.equal(Buffer.byteLength(name), 200);
  assert.equal(sourceFileName(`https://media.test/${'a'.repeat(199)}.b`).length, 200);
});

/** fast-check's own unit `binary` builds a table of all code points, which takes seconds. */
const character = fc.nat({ max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

// Covers D-2.30
test('any input gives a name that is valid on every file system', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: character, maxLength: 400 }),
      fc.string({ unit: character }),
      (path, header) => {
        for (const name of [
          sourceFileName(`https://media.test/${path}`, header),
          sourceFileName(`https://media.test/${path}`, `attachment; filename="${header}`),
          sourceFileName('https://media.test/', `a; filename*=UTF-8''${path.replace(/[^ -~]/g, '%80%2F')}`),
        ]) {
          assert.ok(name.length > 0 && Buffer.byteLength(name) <= 200);
          assert.doesNotMatch(name, /[\p{Cc}\p{Cf}/\\<>:"|?*]|^[.\s]|[.\s]$/u);
          assert.ok(name.isWellFormed());
        }
      },
    ),
  );
});
