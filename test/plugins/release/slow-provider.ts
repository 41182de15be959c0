/**
 * Writes a provider of e-mail that sends nothing: a mail with the subject `slow` takes its time. `began` is a file that
 * gets the subject when the provider begins.
 */
export const slowProvider = (began: string): string => `import { writeFileSync } from 'node:fs';
export default (api) => api.defineProvider({
  name: 'slow',
  capability: { name: 'email', title: 'E-mail' },
  sandbox: true,
  config: { type: 'object', additionalProperties: false, properties: {} },
  open: () => ({
    async execute({ subject }) {
      writeFileSync(${JSON.stringify(began)}, subject);
      if (subject === 'slow') await new Promise((resolve) => setTimeout(resolve, 1500));
      return { message_id: 'slow-1' };
    },
  }),
});
`;

/** The part of `platform.json` that lets it serve e-mail; its file is `slow.mjs` in the home. */
export const slowSettings = {
  adapters: { 'email/slow': { from: './slow.mjs' } },
  providers: { slow: { adapter: 'email/slow' } },
} as const;
