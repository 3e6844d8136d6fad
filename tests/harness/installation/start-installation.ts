/** Every running product of the test suites starts here. */
import { type EmbeddedInstallation, type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { type ProcessesInstallation, type ProcessesOptions, startProcesses } from './processes.ts';

import { type ScriptedInstallation, type ScriptedOptions, startScripted } from './scripted.ts';

export interface Installations {
  readonly embedded: { readonly options: EmbeddedOptions; readonly installation: EmbeddedInstallation };
  readonly scripted: { readonly options: ScriptedOptions; readonly installation: ScriptedInstallation };
  readonly processes: { readonly options: ProcessesOptions; readonly installation: ProcessesInstallation };
}

export type Kind = keyof Installations;

const STARTS: {
  readonly [K in Kind]: (options: Installations[K]['options']) => Promise<Installations[K]['installation']>;
} = { embedded: startEmbedded, scripted: startScripted, processes: startProcesses };

export function startInstallation<K extends Kind>(
  options: Installations[K]['options'] & { readonly kind: K },
): Promise<Installations[K]['installation']> {
  return STARTS[options.kind](options);
}
