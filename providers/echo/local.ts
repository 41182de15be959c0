import { defineProvider, ProviderError } from '../../kernel/adapter.ts';
import { echo } from './contract.ts';

/** Returns the given text; nothing leaves the process. */
export default defineProvider({
  name: 'local',
  capability: echo,
  about: 'Returns the given text, for first tests.',
  config: { type: 'object', additionalProperties: false, properties: {} },
  sandbox: true,
  open: () => ({
    async execute({ text }, { signal }) {
      if (signal.aborted)
        throw new ProviderError('not_sent', 'the deadline passed before the call', { phase: 'deadline' });
      if (typeof text !== 'string') throw new ProviderError('rejected', '`text` must be a string');
      return { text };
    },
  }),
});
