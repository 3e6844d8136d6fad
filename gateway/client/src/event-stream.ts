/** Server-sent events (WHATWG HTML, "Server-sent events"), as a browser's EventSource would read them. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
  /** Of this event, or of the last one before it that had one. */
  readonly lastEventId: string;
  /** Pause before coming back that the server wished for last, in milliseconds. */
  readonly retryMs: number | undefined;
}

/** Ends with the stream; an event that it breaks off in is dropped. `onActivity` hears of every chunk. */
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
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      onActivity();
      // A CR that ends the chunk may have its LF in the next.
      const lines = (rest + decoder.decode(chunk.value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Whoever leaves off reading closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}
