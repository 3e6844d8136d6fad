/** Server-sent events (WHATWG HTML, "Server-sent events"), as a browser's EventSource would read them. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
  /** Of this event, or of the last one before it that had one. */
  readonly lastEventId: string;
  /** Pause before a reconnect, as the server last asked for, in milliseconds. */
  readonly retryMs: number | undefined;
}

const LINE_END = /\r\n|\n|\r/;
/** Far more than any event of the API. */
const MAX_LINE_LENGTH = 1_048_576;

/**
 * Ends with the stream; an event that it breaks off in is dropped. `onActivity` is called for every chunk. Throws an Error for
 * a line of a length that no event has.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<ServerSentEvent, void> {
  let [type, lastEventId, data] = ['', '', [] as string[]];
  let retryMs: number | undefined;
  for await (const line of readLines(body, onActivity)) {
    if (line === '') {
      if (data.length > 0) yield { type: type || 'message', data: data.join('\n'), lastEventId, retryMs };
      [type, data] = ['', []];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) lastEventId = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
}

async function* readLines(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<string, void> {
  // Not every browser iterates over a stream by itself.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let endedWithCr = false;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      onActivity();
      const text = decoder.decode(chunk.value, { stream: true });
      // A CR ends its line at once; an LF right after it belongs to it, also in the next chunk.
      const [first = '', ...others] = text
        .slice(endedWithCr && text.startsWith('\n') ? 1 : 0)
        .split(LINE_END);
      if (text !== '') endedWithCr = text.endsWith('\r');
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH) throw new Error('a line of the stream has no end');
      yield* lines;
    }
  } finally {
    // A caller that stops reading closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}
