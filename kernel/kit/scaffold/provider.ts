import type { Orb } from '../../runtime/catalog/orb.ts';
import { example } from './example.ts';
import { checkName, compilerSettings, type Project } from './project.ts';
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
