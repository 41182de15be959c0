import type { Description, HeaderDescription, Route } from '../../kernel/index.ts';
import type { Components } from './components.ts';
import { problemHeader, problemHeaders, responseHeaders } from './header.ts';
import { problemSchema } from './problem.ts';

type SentHeaders = NonNullable<Route['sends']>;
/** The routes, and the problems that they answer. */
export type Described = Pick<Description, 'routes' | 'problems' | 'problemsOf'>;

type Answers = Readonly<Record<string, object>>;

/**
 * Creates the function that assembles the answers of a route, by status. Problems that share a status stand once for
 * all routes.
 */
export function answersOf(
  { routes, problems, problemsOf }: Described,
  components: Components,
): (route: Route) => Answers {
  const statuses = new Map(problems.map(({ code, status }) => [code, status]));
  const byStatus = (route: Route): ByStatus => [
    ...Map.groupBy([...problemsOf(route)].sort(), (code) => statuses.get(code) ?? 500),
  ];
  const nameOf = problemNames(
    routes.filter(({ problemForm }) => problemForm === undefined),
    byStatus,
  );
  return (route) => ({
    ...(route.problemForm === undefined
      ? problemAnswers(route, byStatus(route), nameOf, components)
      : { default: formOf(route.problemForm, components) }),
    ...otherAnswers(route, components),
    ...successes(route, components),
  });
}

function successes(route: Route, components: Components): Record<string, object> {
  const { also = [], conditional, produces, sends = {}, status } = route;
  const content = contentOf(route, components);
  const headers: SentHeaders = conditional === true ? { ...sends, ETag: true } : sends;
  const described =
    produces === 'text/event-stream'
      ? { description: ['OK', ...Object.entries(headers).map(headerInWords)].join('. ') }
      : { description: content === undefined ? 'Done' : 'OK', ...headersOf(headers, components) };
  const answer = { ...described, ...content };
  const statuses = [status ?? (content === undefined ? 204 : 200), ...also];
  const same = Object.fromEntries(statuses.map((each) => [each, answer]));
  return conditional === true ? { ...same, 304: notModified(components) } : same;
}

// The client that ogen generates of an event stream with described headers does not compile.
function headerInWords([name, told]: readonly [string, true | HeaderDescription]): string {
  return typeof told === 'object' ? `Header ${name}: ${told.description}` : `Header ${name}`;
}

function contentOf({ response, produces, forms = {} }: Route, components: Components): object | undefined {
  if (response === undefined && produces === undefined) return undefined;
  const type = produces ?? 'application/json';
  const main = response === undefined ? plain(type) : components.placeAnswer(response);
  const rest = Object.entries(forms).map(
    ([form, schema]) => [form, { schema: components.placeAnswer(schema) }] as const,
  );
  return { content: { [type]: { schema: main }, ...Object.fromEntries(rest) } };
}

// Describes a body that has no schema. Some readers take that of an event stream for the schema of all its text, others
// for that of each event: both are right when it names no type.
function plain(type: string): object {
  if (type === 'text/event-stream') return { description: 'Server-sent events' };
  if (/^text\/|\+xml/.test(type)) return { type: 'string' };
  return /[/+]json/.test(type) ? { type: 'object', additionalProperties: true } : { type: 'string', format: 'binary' };
}

function notModified(components: Components): object {
  return components.refer('responses', 'not_modified', () => ({
    description: 'The current version matches If-None-Match; the answer has no body',
    ...headersOf({ ETag: true }, components),
  }));
}

function otherAnswers({ answers = {} }: Route, components: Components): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, type, schema, sends = {} }]) => [
      status,
      {
        description,
        ...headersOf(sends, components),
        ...(type === undefined
          ? {}
          : { content: { [type]: { schema: schema === undefined ? plain(type) : components.placeAnswer(schema) } } }),
      },
    ]),
  );
}

/** Names the sets of problems of one status: the most common set by the status alone, the others by their codes. */
function problemNames(
  routes: readonly Route[],
  byStatus: (route: Route) => ByStatus,
): (status: number, codes: string) => string {
  const found = routes.flatMap((route) =>
    byStatus(route).map(([status, codes]) => ({ status, codes: codes.join('.') })),
  );
  // Sets of problems that many routes share have short names: the most usual one of a status has the status itself.
  const usual = new Map<string, string>();
  for (const [status, sets] of Map.groupBy(found, (one) => one.status)) {
    const byUse = [...Map.groupBy(sets, ({ codes }) => codes)].sort(([, a], [, b]) => b.length - a.length);
    for (const [place, [codes, uses]] of byUse.entries())
      if (place === 0 || uses.length >= manyUses)
        usual.set(`${status} ${codes}`, place === 0 ? `${status}` : `${status}.${place + 1}`);
  }
  return (status, codes) => usual.get(`${status} ${codes}`) ?? codes;
}

const manyUses = 10;

type ByStatus = readonly (readonly [status: number, codes: readonly string[]])[];

function formOf({ schema }: NonNullable<Route['problemForm']>, components: Components): object {
  return {
    description: 'An error in the format of the protocol',
    content: { 'application/json': { schema: components.placeAnswer(schema) } },
  };
}

function problemAnswers(
  route: Route,
  statuses: ByStatus,
  nameOf: ReturnType<typeof problemNames>,
  components: Components,
): Record<string, object> {
  return Object.fromEntries(
    statuses.map(([status, codes]) => {
      const live = route.live === true && status === 403;
      const name = nameOf(status, codes.join('.')) + (live ? '.live' : '');
      return [status, components.refer('responses', name, () => problemAnswer(codes, components, { live }))];
    }),
  );
}

function problemAnswer(codes: readonly string[], components: Components, { live }: { readonly live: boolean }): object {
  const names = codes.flatMap((code) => [problemHeader, ...(problemHeaders.get(code) ?? [])]);
  return {
    description: codes.map((code) => `\`${code}\``).join(', ') + (live ? '; also for every test key' : ''),
    ...headersOf(Object.fromEntries(names.map((name) => [name, true])), components),
    content: { 'application/problem+json': { schema: components.placeAnswer(problemSchema) } },
  };
}

function headersOf(sent: SentHeaders, components: Components): { headers?: object } {
  const headers = Object.entries(sent).map(([name, told]) => [name, headerOf(name, told, components)] as const);
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}

function headerOf(name: string, told: true | HeaderDescription | undefined, components: Components): object {
  if (typeof told === 'object') return { schema: { type: 'string' }, ...told };
  const known = Object.entries(responseHeaders).find(([one]) => one === name)?.[1];
  if (known === undefined) throw new Error(`the header ${name} is described nowhere; give its {description}`);
  return components.refer('headers', name, () => known);
}
