/** The Docker that the suite found or started, for scenarios about the images. */
import assert from 'node:assert/strict';
import type { ServingImage } from '../../deploy/containers/product-images.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import {
  type Container,
  type ContainersUnderTest,
  containersUnderTest,
} from '../harness/installation/as-a-user/containers-under-test.ts';

const TIMEOUT_MS = 60_000;

/** Resolves with the client's output. Rejects with ToolError. */
export function runDocker(args: readonly string[], stdin?: string): Promise<string> {
  const { command, environment } = containers().docker;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return runTool(command, args, { signal, environment, ...(stdin === undefined ? {} : { stdin }) });
}

/** The first container of an image that Compose has started. */
export function containerOf(name: ServingImage): Container {
  const found = containers().containers.find(({ service }) => service === name);
  assert.ok(found, name);
  return found;
}

export function containers(): ContainersUnderTest {
  assert.ok(containersUnderTest);
  return containersUnderTest;
}
