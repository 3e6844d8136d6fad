/** Adds `x-codeSamples` to each operation, the field from which reference renderers take code samples. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { curlSample } from './samples/curl.ts';
import { javascriptSample } from './samples/javascript.ts';
import { pythonSample } from './samples/python.ts';
import { sampleRequest } from './samples/sample-request.ts';

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export function addSamples({ paths = {} }: Partial<OpenAPIV3_1.Document>): void {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(Object(item))) {
      const request = sampleRequest({ path, method, operation: Object(operation) });
      const samples: readonly CodeSample[] = [
        { lang: 'Shell', label: 'curl', source: curlSample(request) },
        { lang: 'JavaScript', label: 'JavaScript', source: javascriptSample(request) },
        { lang: 'Python', label: 'Python', source: pythonSample(request) },
      ];
      Object.assign(Object(operation), { 'x-codeSamples': samples });
    }
  }
}
