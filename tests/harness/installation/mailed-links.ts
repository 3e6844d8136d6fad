/** Reads the mails that an installation wrote to a folder. */
import { readdir, readFile } from 'node:fs/promises';
import { until } from '@audiosplit/chassis/testing/until';

/** The paths of all links, including the part after `#`, in the order of the mails. */
export async function mailedLinks(mailFolder: string): Promise<readonly string[]> {
  const names = (await readdir(mailFolder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readFile(`${mailFolder}/${name}`, 'utf8')));
  return mails.flatMap((mail) => {
    const text = mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
    return [...new Set(text.match(/(?<=https?:\/\/[\w.:-]+)\/[\w/-]+(?:#[\w-]+)?(?=["\s])/g))];
  });
}

/** The tokens of all links to a page, oldest first. */
export async function mailedTokens(mailFolder: string, path: string): Promise<readonly string[]> {
  const links = await mailedLinks(mailFolder);
  return links.flatMap((link) => (link.startsWith(`${path}#`) ? [link.slice(path.length + 1)] : []));
}

/** The token of the first link to a page that was mailed during `work`. */
export async function tokenMailedBy(
  mailFolder: string,
  path: string,
  work: () => Promise<unknown>,
): Promise<string> {
  const before = new Set(await mailedTokens(mailFolder, path));
  await work();
  let fresh: string | undefined;
  await until(async () => {
    fresh = (await mailedTokens(mailFolder, path)).find((each) => !before.has(each));
    return fresh !== undefined;
  }, `a mail with a link to ${path}`);
  return fresh ?? '';
}
