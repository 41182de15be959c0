// What the types must refuse: each line that follows an expectation is wrong.
import { definePlugin, defineProvider, operation, PlatformError, ProviderError } from 'agent-orb-kit';
import { conformanceChecks } from 'agent-orb-kit/conformance';
import type { Orb } from 'agent-orb-kit/plugins/runtime';
import store from './store.ts';

// @ts-expect-error -- a store has the operations that it defines
operation(store, 'clear', 'x');
// @ts-expect-error -- an operation takes what it says
operation(store, 'remove', 1);
// @ts-expect-error -- an outcome is one of five
new ProviderError('late', 'too late');
// @ts-expect-error -- a problem is a code or a type
new PlatformError(404);
// @ts-expect-error -- the suite needs an adapter
conformanceChecks({});
// @ts-expect-error -- an Orb is no text
export const orb: Orb = 'demo.echo@1.0.0';

export default definePlugin({
  name: 'wrong',
  start({ hooks, ids }) {
    // @ts-expect-error -- no such hook
    hooks.runStarted.tap('wrong', () => undefined);
    // @ts-expect-error -- a prefix is a text
    ids(1);
    return {};
  },
});

/** What the schema of the settings says is what `open` is given. */
export const adapter = defineProvider({
  name: 'wrong',
  capability: { name: 'email', title: 'E-mail' },
  config: { type: 'object', additionalProperties: false, required: ['url'], properties: { url: { type: 'string' } } },
  open: ({ config: { url } }) => ({
    // @ts-expect-error -- a text has no port
    execute: () => url.port,
  }),
});
