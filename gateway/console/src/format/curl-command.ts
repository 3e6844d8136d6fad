import { shellWord } from './shell-word.ts';

export interface CurlCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the installation's address. */
  readonly path: string;
  readonly credential: 'key' | 'token' | 'none';
  readonly body?: object;
  readonly options?: readonly string[];
}

/** In a body: a file in the working directory, which is sent first. Its address comes in its place. */
export class SentFile {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const KEY = '-H "X-API-Key: $AUDIOSPLIT_KEY"';
const JSON_TYPE = "-H 'Content-Type: application/json'";
/** Linux takes arguments of up to 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000;
/** As of the service. */
const MAX_NAME_LENGTH = 255;

/** An API call as a command for a POSIX shell. */
export function curlCommand(
  { method = 'GET', path, credential, body, options = [] }: CurlCall,
  baseUrl: string,
): string {
  const first = ['curl', '-sS', ...(method === 'GET' ? [] : ['-X', method]), baseUrl + path];
  const lines = [first.map(shellWord).join(' ')];
  if (credential === 'key') lines.push(KEY);
  if (credential === 'token') lines.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  const { files, word } = body === undefined ? { files: [], word: undefined } : readBody(body);
  const isLong = word !== undefined && new TextEncoder().encode(word).length > MAX_ARGUMENT_BYTES;
  if (word !== undefined) lines.push(JSON_TYPE, `-d ${isLong ? '@-' : word}`);
  if (options.length > 0) lines.push(options.map(shellWord).join(' '));
  const command = `${isLong ? `printf %s ${word} | ` : ''}${lines.join(' \\\n  ')}`;
  return files.length === 0 ? command : `${uploadFunction(baseUrl)}\n${files.map(upload).join('')}${command}`;
}

/** Its JSON as one word, in which the files are variables of the shell. */
function readBody(body: object): { readonly files: readonly SentFile[]; readonly word: string } {
  const files: SentFile[] = [];
  const plain = JSON.stringify(body);
  let mark = 'upload';
  while (plain.includes(mark)) mark += '_';
  const marked = JSON.stringify(body, (_, value) => {
    if (!(value instanceof SentFile)) return value;
    files.push(value);
    return mark;
  });
  const [first = '', ...others] = marked.split(`"${mark}"`).map(shellWord);
  return { files, word: first + others.map((text, n) => `"\\"$source_${n + 1}\\""${text}`).join('') };
}

/** Prints the address of the source. The answer's links have no character that JSON escapes. */
function uploadFunction(baseUrl: string): string {
  return `upload() (
  answer=$(curl -sS --fail-with-body -X POST ${shellWord(`${baseUrl}/api/v1/uploads`)} \\
    ${KEY} ${JSON_TYPE} -d "$1") || { printf '%s\\n' "$answer" >&2; exit 1; }
  link=\${answer#*'"uploadUrl":"'}; link=\${link%%'"'*}
  source=\${answer#*'"sourceUrl":"'}; source=\${source%%'"'*}
  curl -sS --fail-with-body -g -T "$2" "$link" >&2 && printf %s "$source"
)`;
}

/** ./: curl reads `-` as standard input. */
function upload({ name }: SentFile, place: number): string {
  const body = JSON.stringify({ fileName: name.slice(-MAX_NAME_LENGTH) });
  return `source_${place + 1}=$(upload ${shellWord(body)} ${shellWord(`./${name}`)}) &&\n`;
}
