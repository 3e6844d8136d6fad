/** Parses a stream of server-sent events about a job that has ended. */
export function parseJobEvents(stream: string) {
  const events = stream.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.+)\n\n/gm);
  return Array.from(events, ([, id = '', event = '', data = '']) => ({ id: Number(id), event, data }));
}
