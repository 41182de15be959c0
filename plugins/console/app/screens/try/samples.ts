import { isRecord, type FormSchema } from '../../parts/form/schema.ts';

/** Inputs that one click fills in. */
export interface Sample {
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

// Manifests that shipped cannot change any more, and have no examples.
const shipped: Readonly<Record<string, Sample['inputs']>> = {
  'demo.echo': { text: 'Hello, Orb!' },
  'notify.email': {
    to: 'ada@example.com',
    from_address: 'orb@example.com',
    subject: 'Hello from Agent Orb',
    body: 'This message was sent by an Orb.\nIts receipt proves it.',
  },
  'notify.sms': { to: '+491701234567', text: 'Your table is ready.' },
  'notify.chat': { channel: 'general', text: 'The deployment is complete.' },
  'notify.push': { to: { topic: 'alerts' }, title: 'Deployment complete', body: 'Version 2 serves all requests.' },
  'http.fetch': { url: 'https://example.com/', method: 'GET' },
  'http.send': { url: 'https://example.com/hook', method: 'POST', json: { event: 'deployed', version: 2 } },
  'llm.chat': {
    model: 'fast',
    messages: [{ role: 'user', content: 'Say hello in one word.' }],
    max_output_tokens: 100,
  },
  'llm.count': { model: 'fast', prompt: { messages: [{ role: 'user', content: 'Say hello in one word.' }] } },
  'llm.embed': { model: 'vectors', input: ['Say hello in one word.'] },
};

/** Lists the samples of an Orb: the examples of its schema, else one of ours for an Orb that ships. */
export function samplesOf({ orb_id, inputs_schema }: { readonly orb_id: string; readonly inputs_schema: FormSchema }) {
  const given = (inputs_schema.examples ?? []).filter(isRecord);
  const own = shipped[orb_id.replace(/@.*$/, '')];
  const all = given.length > 0 || own === undefined ? given : [own];
  return all.map((inputs, at): Sample => ({ name: all.length === 1 ? 'Sample' : `Sample ${at + 1}`, inputs }));
}
