import type { Orb } from '../../runtime/orb.ts';
import { declarations } from './declarations.ts';
import { checkName, type Project } from './project.ts';
import { providerSource } from './provider-source.ts';
import { providerTestSource } from './provider-test-source.ts';
import { sampleOf } from './sample.ts';

/** Makes the project of an adapter `<capability>/<adapter>`; `orb` is one it can serve, if there is one. */
export function providerProject(name: string, orb: Orb | undefined): Project {
  checkName(name, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?\/[a-z]([a-z0-9-]*[a-z0-9])?$/, 'email/acme');
  const [capability = '', adapter = ''] = name.split('/');
  const folder = `ext/${capability}-${adapter}`;
  const variable = `${adapter.toUpperCase().replaceAll('-', '_')}_TOKEN`;
  const outputs = sampleOf(orb?.manifest.outputs_schema ?? true) as object;
  const config = { url: `https://${adapter}.example/send`, token: { $env: variable } };
  const verify = {
    config,
    ...(orb === undefined ? {} : { orb_id: orb.orb_id }),
    inputs: sampleOf(orb?.manifest.inputs_schema ?? true),
    fault_target: { url: '/url', success: { status: 200, body: outputs } },
  };
  const made = { capability, adapter, outputs: Object.keys(outputs), sample: verify.inputs, answer: outputs };
  return {
    files: {
      [`${folder}/index.ts`]: adapterText(made),
      [`${folder}/index.test.ts`]: testText(made),
      [`${folder}/agent-orb.d.ts`]: declarations,
      [`${folder}/verify.json`]: `${JSON.stringify(verify, null, 2)}\n`,
      [`${folder}/package.json`]: `${JSON.stringify({ private: true, type: 'module' })}\n`,
    },
    platform: {
      adapters: { [name]: { from: `./${folder}/index.ts` } },
      providers: { [`${adapter}-main`]: { adapter: name, config } },
    },
    next: [
      `node --test ${folder}/index.test.ts`,
      `${variable}=a-made-up-token orb provider verify ${folder}`,
      'then add the members above to data/platform.json, and: orb config reload',
    ].join('\n'),
  };
}

interface Made {
  readonly capability: string;
  readonly adapter: string;
  /** Names of the outputs the Orb requires. */
  readonly outputs: readonly string[];
  readonly sample: unknown;
  readonly answer: object;
}

const quoted = (value: unknown): string => JSON.stringify(value).replace(/^"(\w[\w-]*)"$/, "'$1'");

function adapterText({ capability, adapter, outputs }: Made): string {
  const picked = outputs.map((name) => `${quoted(name)}: answer[${quoted(name)}]`).join(', ');
  const typed = 'answer as Record<string, unknown>';
  const checked = `${JSON.stringify(outputs)}.every((name) => name in answer) ? (${typed}) : undefined`;
  // Without an Orb nobody knows which outputs it needs: the whole answer is handed on.
  const known = outputs.length > 0;
  return filled(providerSource, {
    CAPABILITY: capability,
    ADAPTER: adapter,
    ANSWERED: known ? `{ ${picked} }` : 'answer',
    PARSED: known ? checked : typed,
  });
}

function testText({ sample, answer }: Made): string {
  return filled(providerTestSource, { SAMPLE: JSON.stringify(sample), ANSWER: JSON.stringify(answer) });
}

function filled(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(/\b[A-Z]{6,}\b/g, (word) => words[word] ?? word);
}
