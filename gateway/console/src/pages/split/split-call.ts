import type { Chosen, ChosenSource } from '../../audio/chosen-source.ts';
import { type CurlCall, SentFile } from '../../format/curl-command.ts';
import type { FieldsOfOneJob } from '../../state/submissions.ts';

/** The API's call for what is chosen. */
export function splitCall(
  source: Chosen | undefined,
  settings: object | undefined,
  { sourceHeaders, ...others }: FieldsOfOneJob = {},
): CurlCall {
  const post = { method: 'POST', credential: 'key' } as const;
  if (source?.kind === 'batch') {
    const body = { sources: source.sources.map(nameInBody), settings: { ...settings } };
    return { ...post, path: '/api/v1/batches', body };
  }
  const sourceUrl = source === undefined ? 'https://…' : nameInBody(source);
  const given = sourceHeaders === undefined ? {} : { sourceHeaders };
  return { ...post, path: '/api/v1/splits', body: { sourceUrl, ...given, ...settings, ...others } };
}

function nameInBody(source: ChosenSource): string | SentFile {
  return source.kind === 'url' ? source.url : new SentFile(source.file.name);
}
