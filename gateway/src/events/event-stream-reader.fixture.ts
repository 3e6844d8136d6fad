/** Reads a stream of server-sent events as a browser would. */
interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface EventReader {
  readonly response: Response;
  /** The next event; undefined at the end of the stream. */
  next(): Promise<ReceivedEvent | undefined>;
  /** All events until the end of the stream. */
  rest(): Promise<ReceivedEvent[]>;
  /** Text read so far. */
  text(): string;
  /** Disconnects. */
  leave(): void;
}

export async function openEventReader(url: string, headers: Record<string, string>): Promise<EventReader> {
  const gone = new AbortController();
  const response = await fetch(url, { headers, signal: gone.signal });
  const blocks = splitIntoBlocks(response);
  let text = '';
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const { value, done } = await blocks.next();
      if (done) return undefined;
      text += `${value}\n\n`;
      const fields = new Map(value.split('\n').map((line) => cutAt(line, ':')));
      const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
      if (event !== undefined && data !== undefined && id !== undefined) return { id, event, data };
    }
  };
  return {
    response,
    next,
    async rest() {
      const events: ReceivedEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    text: () => text,
    leave: () => gone.abort(),
  };
}

async function* splitIntoBlocks(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks;
  }
}

function cutAt(line: string, separator: string): [string, string] {
  const at = line.indexOf(separator);
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
}
