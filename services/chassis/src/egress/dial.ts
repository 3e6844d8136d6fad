import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseAddress } from './classify-address.ts';
import { EgressError } from './egress.ts';
import type { EgressTarget } from './egress-url.ts';

/** A longer answer is cut: only the owner of the DNS name would benefit from more attempts. */
const MAX_DIALLED_ADDRESSES = 8;

/** Node's own floor for one attempt of RFC 8305 (happy eyeballs). */
const MIN_ATTEMPT_TIMEOUT_MS = 250;

/**
 * Connects to the first of `addresses` that answers, families interleaved, and for TLS shows and verifies
 * the target's name. The name itself is never resolved again. The caller owns the socket.
 * Throws EgressError `connect-failed`, `tls-failed`, `timeout`, or the signal's reason.
 */
export function dial(
  target: EgressTarget,
  addresses: readonly string[],
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Socket> {
  const candidates = addresses.slice(0, MAX_DIALLED_ADDRESSES);
  const connection = {
    host: target.hostname,
    port: target.port,
    lookup: answerWith(candidates),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(
      MIN_ATTEMPT_TIMEOUT_MS,
      Math.floor(options.timeoutMs / candidates.length),
    ),
  };
  // RFC 6066, section 3: an address is never sent as a server name; the certificate is checked against it all the same.
  const servername = isIP(target.hostname) === 0 ? target.hostname : '';
  return new Promise((resolve, reject) => {
    options.signal.throwIfAborted();
    const socket = target.isTls
      ? connectTls({ ...connection, servername, ALPNProtocols: ['http/1.1'] })
      : connectTcp(connection);
    let isTcpConnected = false;
    const abandon = (error: unknown) => {
      options.signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(error);
    };
    const onAbort = () => abandon(options.signal.reason);
    options.signal.addEventListener('abort', onAbort, { once: true });
    socket.once('connect', () => {
      isTcpConnected = true;
    });
    // Stays for the socket's lifetime: an error before any other listener is attached must not end the
    // process.
    socket.on('error', (cause) => abandon(toEgressError(cause, target, isTcpConnected)));
    socket.once(target.isTls ? 'secureConnect' : 'connect', () => {
      options.signal.removeEventListener('abort', onAbort);
      if (isOneOf(candidates, socket.remoteAddress)) resolve(socket);
      else
        abandon(
          new EgressError('forbidden-address', `${target.hostname} was reached at an unchecked address.`),
        );
    });
  });
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, answer);
}

/** Guards against a runtime that dials an address other than those its lookup returned. */
function isOneOf(addresses: readonly string[], remoteAddress: string | undefined): boolean {
  const remote = parseAddress(remoteAddress ?? '')?.toNormalizedString();
  return addresses.some((address) => parseAddress(address)?.toNormalizedString() === remote);
}

function toEgressError(
  cause: NodeJS.ErrnoException,
  target: EgressTarget,
  isTcpConnected: boolean,
): EgressError {
  const code = cause.code ?? 'unknown error';
  if (isTcpConnected) {
    return new EgressError('tls-failed', `The TLS handshake with ${target.hostname} failed (${code}).`, {
      cause,
    });
  }
  const failure = code === 'ETIMEDOUT' ? 'timeout' : 'connect-failed';
  return new EgressError(failure, `${target.hostname} port ${target.port} cannot be reached (${code}).`, {
    cause,
  });
}
