import type { RuntimeHooks } from './hooks.ts';
import type { PluginScope } from '../../../kernel/index.ts';

/** What all parts of the runtime work with. */
export interface RuntimeScope extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'store'> {
  readonly hooks: RuntimeHooks;
}
