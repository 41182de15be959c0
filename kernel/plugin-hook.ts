import { ownerFaults } from './tools/ownership.ts';

/** A typed name of a hook that a plugin owns. Only the owner calls it; others listen. */
export interface PluginHook<Arg, Result = void> {
  readonly name: string;
  /** `ask`: the first answer that is not undefined wins; `tell`: not awaited, a failure of a listener is isolated. */
  readonly kind: 'ask' | 'tell';
  /** `kernel`: in the last version it was a hook of the kernel, which `hooks.<name>.tap` still taps, with a warning. */
  readonly formerly?: 'kernel';
  /** Carries the types; never read. */
  readonly phantom?: (arg: Arg) => Result;
}

/** Names a hook that announces an event, e.g. `defineEvent<IncidentChanged>('incidentChanged')`; use a participle. */
export function defineEvent<Event>(name: string, more: Pick<PluginHook<Event>, 'formerly'> = {}): PluginHook<Event> {
  return Object.freeze({ name, kind: 'tell', ...more });
}

/**
 * Names a hook that asks its listeners, e.g. `defineQuestion<Address, boolean>('acceptAddress')`; use an imperative.
 */
export function defineQuestion<Question, Answer>(name: string): PluginHook<Question, Answer> {
  return Object.freeze({ name, kind: 'ask' });
}

/** A plugin that owns hooks. */
export interface HookOwner {
  readonly name: string;
  readonly hooks: readonly PluginHook<never, unknown>[];
}

/** Lists every hook that two plugins, or a plugin and the kernel, declare. */
export function hookFaults(plugins: readonly HookOwner[], ofKernel: readonly string[]): string[] {
  return ownerFaults('hook', { ofKernel, plugins }, ({ hooks }) => hooks.map(({ name }) => name));
}
