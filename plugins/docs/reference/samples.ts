import type { SampleRequest } from '../page.ts';
import type { Follow, Operation } from './operation.ts';
import { bodyExamples, ownParameters, parameterExamples } from './examples.ts';
import { exampleOf, type Schema } from './schema.ts';

/** Makes the request that the examples of a route send. */
export function sampleOf(operation: Operation, follow: Follow): SampleRequest {
  const [method = 'GET', template = '/'] = operation.title.split(' ');
  const parameters = operation.parameters.map(follow);
  const own = ownParameters[idOf(operation)] ?? {};
  // A value of the operation's own comes before those of the schema.
  const valueAt = (place: string, name: string): string => {
    const schema = follow(parameters.find((one) => one.in === place && one.name === name)?.schema ?? {});
    const found = own[name] ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? parameterExamples[name];
    return encoded(found ?? name.toUpperCase());
  };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => valueAt('path', name));
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map(({ name }) => `${name}=${valueAt('query', name)}`);
  const schema = operation.body?.['application/json']?.schema;
  return {
    method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    keyed: operation.access.key === 'needed',
    body: schema === undefined ? undefined : JSON.stringify(knownOr(operation, schema, follow), undefined, 2),
  };
}

function encoded(value: unknown): string {
  return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('%40', '@');
}

function knownOr(operation: Operation, schema: Schema, follow: Follow): unknown {
  return bodyExamples[idOf(operation)] ?? exampleOf(schema, follow);
}

function idOf({ page }: Operation): string {
  return page.slice('api/'.length);
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
