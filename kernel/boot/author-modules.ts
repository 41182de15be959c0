import { registerHooks } from 'node:module';

// Name under which code outside the tree imports the public surface; it gets the values of the running server.
const authorPackage = 'agent-orb-kit';

type Exports = Readonly<Record<string, unknown>>;

const scheme = 'agent-orb:';
const provided = new Map<string, Exports>();

/** What code outside the tree imports. */
export interface AuthorModules {
  /** Exports of `surface.ts` of the plugin `kit`, as `agent-orb-kit`. */
  readonly surface?: object;
  /** Exports of `kernel/engine.ts`, as `agent-orb-kit/engine`. */
  readonly engine?: object;
  /** Exports of the plugins' `contract.ts`, as `agent-orb-kit/plugins/<name>`. */
  readonly contracts?: Readonly<Record<string, object>>;
}

/** Makes imports of `agent-orb-kit` and below it return these exports in this thread: the server's own classes. */
export function provideAuthorModules({ surface, engine, contracts = {} }: AuthorModules): void {
  const plugins = Object.entries(contracts).map(([name, contract]) => [`/plugins/${name}`, contract] as const);
  for (const [path, exports] of [['', surface], ['/engine', engine], ...plugins] as const) {
    if (exports === undefined) continue;
    if (provided.size === 0) answerImports();
    provided.set(authorPackage + path, { ...exports });
  }
}

/** Returns the public surface that was provided in this thread; undefined before that. */
export const authorSurface = (): Exports | undefined => provided.get(authorPackage);

function answerImports(): void {
  // A synthetic module is source text; its exports are fetched through this function.
  Object.defineProperty(globalThis, Symbol.for(scheme), { value: (specifier: string) => provided.get(specifier) });
  registerHooks({
    resolve(specifier, context, next) {
      if (!provided.has(specifier)) return next(specifier, context);
      return { url: scheme + specifier, format: 'module', shortCircuit: true };
    },
    load(url, context, next) {
      if (!url.startsWith(scheme)) return next(url, context);
      return { format: 'module', source: sourceOf(url.slice(scheme.length)), shortCircuit: true };
    },
  });
}

function sourceOf(specifier: string): string {
  const names = Object.keys(provided.get(specifier) ?? {}).filter((name) => name !== 'default');
  const from = `globalThis[Symbol.for(${JSON.stringify(scheme)})](${JSON.stringify(specifier)})`;
  return `export const { ${names.join(', ')} } = ${from};\n`;
}
