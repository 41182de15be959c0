import type { Router, RouterMiddleware } from '@koa/router';
import { PlatformError } from '../../error.ts';
import { similarTo } from '../../tools/text/similar.ts';
import type { RequestState } from './call.ts';
import type { Route } from '../route/route.ts';

/** Answers one route; the request's own record is in `ctx.state.request`. */
export type Endpoint = RouterMiddleware<RequestState>;

/** The endpoints of one path. */
interface Resource {
  /** Value of the header Allow. */
  readonly allow: string;
  /** By method, with the names of its path parameters in their order; HEAD is served by GET. */
  readonly methods: ReadonlyMap<string, { readonly endpoint: Endpoint; readonly names: readonly string[] }>;
}

/**
 * Finds the resource of a path, with the decoded values of its parameters in their order. Throws 400 `invalid_parameter`
 * on a malformed percent-encoding.
 */
export type Dispatch = (
  path: string,
) => { readonly resource: Resource; readonly values: readonly string[] } | undefined;

/** Declares a route in @koa/router, whose patterns write `{id}` as `:id`. */
export function declare(router: Router<RequestState>, route: Route, endpoint: Endpoint): void {
  const path = route.path.replace(/\{(\w+)\}/g, ':$1');
  router.register(path, [route.method], endpoint, { name: `${route.method} ${route.path}` });
}

/** Refuses two routes that the same request would match, naming both. */
export function refuseClashes(routes: readonly Route[]): void {
  const title = ({ method, path, service }: Route): string => `${method} ${path} (${service})`;
  const seen = new Map<string, Route>();
  for (const route of routes) {
    const shape = `${route.method} ${route.path.replace(/\{\w+\}/g, '{}')}`;
    const other = seen.get(shape);
    if (other !== undefined) throw new Error(`${title(other)} and ${title(route)} are the same route`);
    seen.set(shape, route);
  }
}

interface Branch {
  readonly literal: Map<string, Branch>;
  parameter?: Branch;
  resource?: Resource;
}

/** Builds a trie of the declared routes; a static segment wins over a parameter. */
export function buildDispatch(router: Router<RequestState>): Dispatch {
  const root: Branch = { literal: new Map() };
  for (const layer of router.stack) {
    // A layer's stack also types parameter middleware; `declare` registers none.
    const endpoint = layer.stack[0] as Endpoint | undefined;
    if (typeof layer.path !== 'string' || endpoint === undefined)
      throw new Error(`not a plain path: ${String(layer.path)}`);
    const end = grow(root, layer.path.slice(1).split('/'));
    const names = layer.paramNames.map(({ name }) => String(name));
    const methods = new Map(end.resource?.methods);
    for (const method of layer.methods) methods.set(method, { endpoint, names });
    end.resource = { methods, allow: [...new Set([...methods.keys(), 'OPTIONS'])].sort().join(', ') };
  }
  return (path) => {
    const values: string[] = [];
    const resource = find(root, split(path), 0, values);
    return resource && { resource, values };
  };
}

// The work of a wrong request stays small: nobody had to send a key for it.
const longestPath = 64;

/**
 * Makes the function that finds the path that somebody who wrote another one most likely meant: a similar one, or the
 * one that it ends or begins with (`/api/v1/runs`, `/health/live`). Undefined when there is none.
 */
export function nearestPath(routes: readonly Pick<Route, 'path'>[]): (path: string) => string | undefined {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const plain = paths.filter((path) => path !== '/' && !path.includes('{')).sort((a, b) => b.length - a.length);
  const alike = paths.map((path) => path.split('/'));
  return (path) => {
    if (path.length > longestPath || !/^(?:\/[\w.@~-]+)+$/.test(path)) return undefined;
    const own = path.split('/');
    const near = alike
      .filter(({ length }) => length === own.length)
      .map((parts) => parts.map((part, at) => (part.startsWith('{') ? own[at] : part)).join('/'));
    return (
      plain.find((one) => path.endsWith(one)) ??
      similarTo(path, near) ??
      plain.find((one) => path.startsWith(`${one}/`))
    );
  };
}

function grow(from: Branch, segments: readonly string[]): Branch {
  let at = from;
  for (const segment of segments) {
    const isParameter = segment.startsWith(':');
    const next: Branch = (isParameter ? at.parameter : at.literal.get(segment)) ?? { literal: new Map() };
    if (isParameter) at.parameter = next;
    else at.literal.set(segment, next);
    at = next;
  }
  return at;
}

function find(at: Branch, segments: readonly string[], index: number, values: string[]): Resource | undefined {
  const segment = segments[index];
  if (segment === undefined) return at.resource;
  const literal = at.literal.get(segment);
  const found = literal && find(literal, segments, index + 1, values);
  if (found !== undefined || at.parameter === undefined || segment === '') return found;
  const depth = values.push(segment);
  const below = find(at.parameter, segments, index + 1, values);
  if (below === undefined) values.length = depth - 1;
  return below;
}

function split(path: string): string[] {
  const segments = path.slice(1).split('/');
  return path.includes('%') ? segments.map(decode) : segments;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new PlatformError('invalid_parameter', 'the path contains invalid percent-encoding; encode it as UTF-8');
  }
}
