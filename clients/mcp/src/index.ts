/** The tools of audiosplit for agents. Whatever is not exported here may change with any release. */
export type { LocalEngine, LocalPlan, LocalRun, LocalSegment } from './local-engine.ts';
export { createMcpServer, type McpOptions } from './server.ts';
export { ToolError } from './tool-error.ts';
