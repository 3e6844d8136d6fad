/** An MCP server with the tools of audiosplit, for one connection or one request over HTTP. */
import type { Audiosplit } from '@audiosplit/client';
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { explain } from './failures.ts';
import { JOB_TOOLS } from './job-tools.ts';
import type { LocalEngine } from './local-engine.ts';
import { localSplitTools, SPLIT_TOOLS } from './split-tools.ts';
import type { Tool, ToolContext } from './tool.ts';
import { ToolError } from './tool-error.ts';

export interface McpOptions {
  /** Of the program that serves. */
  readonly version: string;
  /** Absent: no server is known, and only files of this machine can be split. */
  readonly audiosplit?: Audiosplit | undefined;
  /** Absent: there are no files of the agent's machine, as over HTTP. */
  readonly local?: LocalEngine | undefined;
  /** When it aborts, calls stop waiting for their jobs and return what is known. */
  readonly stopWaiting?: AbortSignal;
}

const INSTRUCTIONS =
  'Splits audio by length, size, silences, chapters, ranges or into equal parts. plan_split shows the cuts without making ' +
  'files; split_audio makes them. A split of a URL is a job: its result has download links, which expire.';

export function createMcpServer({
  version,
  audiosplit,
  local,
  stopWaiting = new AbortController().signal,
}: McpOptions): McpServer {
  const server = new McpServer({ name: 'audiosplit', version }, { instructions: INSTRUCTIONS });
  const tools = [...(local === undefined ? SPLIT_TOOLS : localSplitTools(local)), ...JOB_TOOLS];
  for (const tool of tools) {
    const { name, title, description, readOnly, destructive = false } = tool;
    const annotations = { title, readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: true };
    server.registerTool(
      name,
      { title, description, inputSchema: schemaOf(tool), annotations },
      (args, context) => answer(() => tool.run(args, contextOf(context, audiosplit, stopWaiting))),
    );
  }
  return server;
}

const schemas = new WeakMap<Tool, ReturnType<typeof fromJsonSchema<Record<string, unknown>>>>();

/** Compiled once, because over HTTP each request has a server of its own. */
function schemaOf(tool: Tool) {
  const known = schemas.get(tool);
  if (known !== undefined) return known;
  const { properties, required } = tool;
  const schema = { type: 'object', properties, required, additionalProperties: false } as JsonSchemaType;
  const made = fromJsonSchema<Record<string, unknown>>(schema);
  schemas.set(tool, made);
  return made;
}

function contextOf(
  { mcpReq }: ServerContext,
  audiosplit: Audiosplit | undefined,
  stopWaiting: AbortSignal,
): ToolContext {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    get audiosplit() {
      if (audiosplit !== undefined) return audiosplit;
      throw new ToolError(
        'No server is known. Ask the user to run `audiosplit login`, or give the path of a file on this machine.',
      );
    },
    signal: mcpReq.signal,
    stopWaiting,
    reportProgress(progress) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total: 100 };
      // A client that is gone does not stop the work.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

async function answer(run: () => Promise<object>): Promise<CallToolResult> {
  try {
    const result = await run();
    const text = JSON.stringify(result);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    const text = explain(error);
    if (text === undefined) throw error;
    return { isError: true, content: [{ type: 'text', text }] };
  }
}
