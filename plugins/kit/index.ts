import { definePlugin, grouped } from '../../kernel/index.ts';
import { init } from './scaffold/init.ts';
import { newCommands } from './scaffold/new.ts';
import { providerVerify } from './verify/command.ts';

/** Commands for authors: the home of a server, scaffolds, and the conformance suite of `orb provider verify`. */
export default definePlugin({
  name: 'kit',
  commands: grouped(
    [
      { name: 'init', task: 'operate' },
      { name: 'new', task: 'build', summary: 'create a provider, plugin, Orb or policy' },
      { name: 'provider', task: 'build', summary: 'test the adapter of a provider' },
    ],
    [init, ...newCommands, providerVerify],
  ),
  start: () => ({}),
});
