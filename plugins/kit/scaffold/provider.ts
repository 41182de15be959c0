import type { JsonSchema } from '../../../kernel/index.ts';
import { checkName, compilerSettings, example, type Project } from './project.ts';
import type { Orb } from '../../runtime/contract.ts';

/** Makes the project of an adapter `<capability>/<adapter>`; `orb` is one that it can serve, if there is one. */
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
  return {
    files: {
      [`${folder}/index.ts`]: example('provider/index.ts', {
        "'email'": `'${capability}'`,
        acme: adapter,
        "['message_id']": listOf(Object.keys(outputs)),
      }),
      [`${folder}/index.test.ts`]: example('provider/index.test.ts'),
      [`${folder}/verify.json`]: `${JSON.stringify(verify, null, 2)}\n`,
      [`${folder}/package.json`]: example('provider/package.json'),
      [`${folder}/tsconfig.json`]: compilerSettings,
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

function listOf(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name).replace(/^"([\w-]+)"$/, "'$1'")).join(', ')}]`;
}

/** Makes a value that fits a simple schema: required members only; patterns are not solved. */
export function sampleOf(schema: JsonSchema | boolean, name = 'value'): unknown {
  if (typeof schema === 'boolean') return {};
  const { type, properties = {}, required = [], default: preset, examples } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  if (preset !== undefined) return preset;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (type === 'string') return text(name, schema);
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return Number(schema['minItems'] ?? 0) > 0 ? [sampleOf(itemsOf(schema), name)] : [];
  const [choice] = choicesOf(schema);
  if (type === undefined && choice !== undefined) return sampleOf(choice, name);
  const members = properties as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries((required as readonly string[]).map((key) => [key, sampleOf(members[key] ?? true, key)]));
}

const itemsOf = ({ items }: JsonSchema): JsonSchema | boolean => (items as JsonSchema | boolean | undefined) ?? true;
const choicesOf = ({ anyOf, oneOf }: JsonSchema) => (anyOf ?? oneOf ?? []) as readonly (JsonSchema | boolean)[];

// An address is recognized by the name of its field, because no schema of this program marks it by a format.
function text(name: string, { minLength, maxLength, pattern }: JsonSchema): string {
  const word = /^(to|cc|bcc)$|address|e-?mail/i.test(name) ? `${name.replace(/_.*/, '')}@example.com` : name;
  const url = /url|uri/i.test(name) ? 'https://service.example/' : word;
  const usual = url.padEnd(Number(minLength ?? 0), 'x').slice(0, Number(maxLength ?? url.length));
  // A recipient may be a telephone number.
  const fits = (one: string): boolean => typeof pattern !== 'string' || new RegExp(pattern, 'u').test(one);
  return [usual, '+4915123456789'].find(fits) ?? usual;
}
