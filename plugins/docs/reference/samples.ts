import type { Follow, Operation, Parameter } from './operation.ts';
import { exampleOf, type Schema } from './schema.ts';

/** A request of an example: what the languages below write in their own way. */
export interface SampleRequest {
  readonly method: string;
  /** With example values in place of the parameters, and the query that is needed. */
  readonly path: string;
  readonly keyed: boolean;
  /** JSON; undefined: no body, or another form than JSON. */
  readonly body: string | undefined;
}

/** Makes the request that the examples of a route send. */
export function sampleOf(operation: Operation, follow: Follow): SampleRequest {
  const [method = 'GET', template = '/'] = operation.title.split(' ');
  const parameters = operation.parameters.map(follow);
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    valueOf(
      parameters.find((one) => one.in === 'path' && one.name === name),
      name,
      follow,
    ),
  );
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map((one) => `${one.name}=${valueOf(one, one.name, follow)}`);
  const schema = operation.body?.['application/json']?.schema;
  return {
    method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    keyed: operation.access.key === 'needed',
    body: schema === undefined ? undefined : JSON.stringify(knownOr(operation, schema, follow), undefined, 2),
  };
}

const known: Readonly<Record<string, string>> = {
  orb_id: 'demo.echo@1.0.0',
  id: 'default',
  code: 'rate_limited',
};

function valueOf(parameter: Parameter | undefined, name: string, follow: Follow): string {
  const { schema = {} } = parameter ?? {};
  const { examples, default: preset, enum: values } = follow(schema);
  const found = examples?.[0] ?? preset ?? values?.[0] ?? known[name] ?? name.toUpperCase();
  return encodeURIComponent(typeof found === 'string' ? found : JSON.stringify(found)).replaceAll('%40', '@');
}

// The most important call has an example that works at once.
function knownOr({ page }: Operation, schema: Schema, follow: Follow): unknown {
  return page === 'api/executeOrb'
    ? { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } }
    : exampleOf(schema, follow);
}

/** A language of the examples, and how it writes a request. */
export const languages: readonly (readonly [
  name: string,
  write: (request: SampleRequest, base: string) => string,
  id: string,
])[] = [
  ['curl', curl, 'sh'],
  ['TypeScript', typescript, 'ts'],
  ['Python', python, 'py'],
];

function curl({ method, path, keyed, body }: SampleRequest, base: string): string {
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}'${base}${path}'`,
    ...(keyed ? ['  -H "Authorization: Bearer $ORB_KEY"'] : []),
    ...(body === undefined
      ? []
      : ['  -H "Content-Type: application/json"', `  -d '${body.replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(' \\\n');
}

function typescript({ method, path, keyed, body }: SampleRequest, base: string): string {
  const headers = [
    ...(keyed ? ['    Authorization: `Bearer ${process.env.ORB_KEY}`,'] : []),
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, '  ')}),`]),
  ];
  const address = `'${base}${path}'`;
  return [
    options.length === 0 ? `const answer = await fetch(${address});` : `const answer = await fetch(${address}, {`,
    ...(options.length === 0 ? [] : [...options, '});']),
    'if (!answer.ok) throw new Error(await answer.text());',
    'console.log(await answer.text());',
  ].join('\n');
}

function python({ method, path, keyed, body }: SampleRequest, base: string): string {
  const headers = [
    ...(keyed ? ['        "Authorization": f"Bearer {os.environ[\'ORB_KEY\']}",'] : []),
    ...(body === undefined ? [] : ['        "Content-Type": "application/json",']),
  ];
  return [
    `import ${[...(body === undefined ? [] : ['json']), ...(keyed ? ['os'] : []), 'urllib.request'].join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(base + path)},`,
    ...(method === 'GET' ? [] : [`    method=${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonic(body), '    ')}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.read().decode())',
  ].join('\n');
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

// Words of JSON outside of texts, as Python writes them.
function pythonic(json: string): string {
  const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (part) => words[part] ?? part);
}
