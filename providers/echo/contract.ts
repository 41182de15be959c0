import { defineCapability } from '../../kernel/adapter.ts';

/** The capability of demo.echo: returns its input. */
export const echo = defineCapability({
  name: 'echo',
  title: 'Echo',
  inputs: { text: 'The text that comes back' },
  sample: { orb: 'demo.echo', asks: [], inputs: (text) => ({ text }) },
});
