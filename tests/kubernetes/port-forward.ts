/**
 * Makes a port of the cluster available on this machine with `kubectl port-forward`, as people reach ports
 * that policies block.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** `target` as kubectl accepts it, such as `service/audiosplit-billing`. Throws if it does not exist. */
export type ForwardPort = (
  namespace: string,
  target: string,
  port: number,
) => Promise<AsyncDisposable & { readonly url: string }>;

const SAID = /^Forwarding from (127\.0\.0\.1:\d+) ->/;

export function portForwarder(kubectl: string, kubeconfig: string): ForwardPort {
  return async (namespace, target, port) => {
    const args = ['--kubeconfig', kubeconfig, '--namespace', namespace, 'port-forward', target, `:${port}`];
    const child = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const complaints = text(child.stderr);
    const ended = once(child, 'close');
    // If it cannot start, it ends, and so does its output.
    for await (const line of createInterface({ input: child.stdout })) {
      const [, address] = SAID.exec(line) ?? [];
      if (address === undefined) continue;
      // It writes a line for every connection, and would block on a full pipe.
      child.stdout.resume();
      return {
        url: `http://${address}`,
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM');
          await ended;
        },
      };
    }
    throw new Error(`no way to ${target}: ${(await complaints).trim()}`);
  };
}
