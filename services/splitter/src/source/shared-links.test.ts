import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDirectLink } from './shared-links.ts';

const DRIVE = 'https://drive.usercontent.google.com/download?export=download&confirm=t';
const ONE_DRIVE = 'https://api.onedrive.com/v1.0/shares';

test('shared links of Google Drive, Dropbox and OneDrive become links to the file', () => {
  for (const [shared, direct] of [
    ['https://drive.google.com/file/d/1aB_c-9/view?usp=sharing', `${DRIVE}&id=1aB_c-9`],
    ['https://drive.google.com/u/0/file/d/1aB_c-9/edit', `${DRIVE}&id=1aB_c-9`],
    ['https://drive.google.com/open?id=1aB_c-9', `${DRIVE}&id=1aB_c-9`],
    ['https://docs.google.com/uc?export=open&id=1aB_c-9', `${DRIVE}&id=1aB_c-9`],
    ['https://drive.google.com/file/d/1aB/view?resourcekey=0-x_y', `${DRIVE}&id=1aB&resourcekey=0-x_y`],
    ['https://www.dropbox.com/s/abc/talk.mp3?dl=0', 'https://www.dropbox.com/s/abc/talk.mp3?dl=1'],
    [
      'https://www.dropbox.com/scl/fi/abc/talk.mp3?rlkey=k1&st=s1&dl=0',
      'https://www.dropbox.com/scl/fi/abc/talk.mp3?rlkey=k1&st=s1&dl=1',
    ],
    ['https://1drv.ms/u/s!Ab?e=1', `${ONE_DRIVE}/u!aHR0cHM6Ly8xZHJ2Lm1zL3UvcyFBYj9lPTE/root/content`],
    [
      'https://onedrive.live.com/redir?resid=1',
      `${ONE_DRIVE}/u!aHR0cHM6Ly9vbmVkcml2ZS5saXZlLmNvbS9yZWRpcj9yZXNpZD0x/root/content`,
    ],
    [
      'https://contoso-my.sharepoint.com/:u:/g/personal/a/Eabc?e=1',
      'https://contoso-my.sharepoint.com/:u:/g/personal/a/Eabc?e=1&download=1',
    ],
  ] as const) {
    assert.equal(toDirectLink(shared), direct);
  }
});

test('any other address is unchanged', () => {
  for (const address of [
    'https://example.com/file/d/1aB/view',
    'https://drive.google.com/drive/folders/1aB',
    'https://drive.google.com/open?id=a%26b',
    'https://drive.google.com.example.com/file/d/1aB/view',
    'https://www.dropbox.com/home/talk.mp3',
    'https://dl.dropboxusercontent.com/s/abc/talk.mp3',
    'https://onedrive.live.com/download?resid=1',
    'https://contoso.sharepoint.com/sites/a/talk.mp3',
    'http://[',
  ]) {
    assert.equal(toDirectLink(address), address);
  }
});
