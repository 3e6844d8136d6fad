/** Converts an HTTP response to a unary response, or to the error that it represents. */
import type { IncomingHttpHeaders } from 'node:http';
import { type DescMethodUnary, fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type UnaryResponse } from '@connectrpc/connect';
import { codeFromHttpStatus, errorFromJsonBytes } from '@connectrpc/connect/protocol-connect';
import { messageOf } from '../../errors.ts';
import type { WireResponse } from './exchange.ts';

const TRAILER_PREFIX = 'trailer-';
/** May have parameters, such as a charset. */
const PROTO = /^application\/proto *(;|$)/i;
const JSON_TEXT = /^application\/json *(;|$)/i;

/** Throws ConnectError, with the response's details and metadata, if the response is an error or invalid. */
export function readAnswer(method: DescMethodUnary, { status, headers, body }: WireResponse): UnaryResponse {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new ConnectError(
      `the answer has the encoding ${encoding}`,
      Code.Internal,
      metadataOf(headers, 'all'),
    );
  }
  if (status !== 200) {
    const error = new ConnectError(`HTTP ${status}`, codeFromHttpStatus(status), metadataOf(headers, 'all'));
    throw JSON_TEXT.test(type) ? errorFromJsonBytes(body, metadataOf(headers, 'all'), error) : error;
  }
  if (!PROTO.test(type)) {
    throw new ConnectError(`the answer has the type ${type}`, Code.Unknown, metadataOf(headers, 'all'));
  }
  // Most calls read neither, and Headers are slow to create.
  let header: Headers | undefined;
  let trailer: Headers | undefined;
  return {
    stream: false,
    service: method.parent,
    method,
    message: parse(method, body),
    get header() {
      header ??= metadataOf(headers, 'header');
      return header;
    },
    get trailer() {
      trailer ??= metadataOf(headers, 'trailer');
      return trailer;
    },
  };
}

function parse(method: DescMethodUnary, body: Uint8Array): UnaryResponse['message'] {
  try {
    return fromBinary(method.output, body);
  } catch (cause) {
    throw new ConnectError(
      `the answer is not a ${method.output.typeName}: ${messageOf(cause)}`,
      Code.Internal,
      undefined,
      undefined,
      cause,
    );
  }
}

/** Trailers are sent as headers with a prefix. `all` returns both, under their own names. */
function metadataOf(headers: IncomingHttpHeaders, part: 'header' | 'trailer' | 'all'): Headers {
  const metadata = new Headers();
  for (const [name, values = []] of Object.entries(headers)) {
    const isTrailer = name.startsWith(TRAILER_PREFIX);
    if (part !== 'all' && isTrailer !== (part === 'trailer')) continue;
    const ownName = isTrailer ? name.slice(TRAILER_PREFIX.length) : name;
    for (const value of [values].flat()) metadata.append(ownName, value);
  }
  return metadata;
}
