import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFfmpeg, resolveFfmpegPath } from './binary.ts';

test('the binary installed with the service supports everything that is needed', async () => {
  const binary = await checkFfmpeg(await resolveFfmpegPath(undefined));
  assert.match(binary.version, /\d/);
});

test('a configured path is used unchanged', async () => {
  assert.equal(await resolveFfmpegPath('/opt/ffmpeg'), '/opt/ffmpeg');
});

test('a program that is not ffmpeg is rejected at start', async () => {
  await assert.rejects(checkFfmpeg('/bin/echo'), /FFMPEG_PATH is "\/bin\/echo".*does not call itself that/);
  await assert.rejects(checkFfmpeg('/nonexistent/ffmpeg'), /ENOENT/);
});

test('a path without a file is reported in one line that names the variable', async () => {
  await assert.rejects(checkFfmpeg('/nowhere/ffmpeg'), (error: Error) => {
    assert.match(error.message, /^FFMPEG_PATH is "\/nowhere\/ffmpeg"; allowed: .*ENOENT/);
    assert.ok(!error.message.includes('\n'));
    return true;
  });
});
