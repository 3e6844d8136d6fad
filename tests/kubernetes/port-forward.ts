/** A port of the cluster's at this machine, the way that people come to what no policy lets them reach: `kubectl port-forward`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** `target` as kubectl takes it, such as `service/audiosplit-billing`. Throws where there is no such thing. */
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
    // It ends where it cannot begin, and with it what it says.
    for await (const line of createInterface({ input: child.stdout })) {
      const [, address] = SAID.exec(line) ?? [];
      if (address === undefined) continue;
      // It writes a line for every connection, and would wait for a full pipe.
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
