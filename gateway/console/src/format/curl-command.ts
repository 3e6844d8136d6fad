import { shellWord } from './shell-word.ts';

export interface CurlCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the installation's address. */
  readonly path: string;
  readonly credential: 'key' | 'token' | 'none';
  readonly body?: object;
  /** Name of a file to upload. */
  readonly upload?: string;
  readonly options?: readonly string[];
}

/** An API call as a command for a POSIX shell. */
export function curlCommand(
  { method = 'GET', path, credential, body, upload, options = [] }: CurlCall,
  baseUrl: string,
): string {
  const first = ['curl', '-sS', ...(method === 'GET' ? [] : ['-X', method]), baseUrl + path];
  const lines = [first.map(shellWord).join(' ')];
  if (credential === 'key') lines.push('-H "X-API-Key: $AUDIOSPLIT_KEY"');
  if (credential === 'token') lines.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`);
  }
  // -g: no patterns in the name. ./: curl reads `-` as standard input.
  if (upload !== undefined) lines.push(`-g -T ${shellWord(`./${upload}`)}`);
  if (options.length > 0) lines.push(options.map(shellWord).join(' '));
  return lines.join(' \\\n  ');
}
