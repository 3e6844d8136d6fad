/** Starts every running product of the test suites. */
import type { StartedProduct, UserOptions } from './as-a-user/product.ts';
import { startAsUser } from './as-a-user/start-as-user.ts';
import { type EmbeddedInstallation, type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { type ProcessesInstallation, type ProcessesOptions, startProcesses } from './processes.ts';
import { type ScriptedInstallation, type ScriptedOptions, startScripted } from './scripted.ts';

interface Installations {
  readonly embedded: { readonly options: EmbeddedOptions; readonly installation: EmbeddedInstallation };
  readonly scripted: { readonly options: ScriptedOptions; readonly installation: ScriptedInstallation };
  readonly processes: { readonly options: ProcessesOptions; readonly installation: ProcessesInstallation };
  readonly 'as-a-user': { readonly options: UserOptions; readonly installation: StartedProduct };
}

type Kind = keyof Installations;

const STARTS: {
  readonly [K in Kind]: (options: Installations[K]['options']) => Promise<Installations[K]['installation']>;
} = { embedded: startEmbedded, scripted: startScripted, processes: startProcesses, 'as-a-user': startAsUser };

export function startInstallation<K extends Kind>(
  options: Installations[K]['options'] & { readonly kind: K },
): Promise<Installations[K]['installation']> {
  return STARTS[options.kind](options);
}
