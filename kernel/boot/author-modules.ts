import { registerHooks } from 'node:module';

/** Name under which code outside the tree imports the public surface; it gets the values of the running server. */
export const authorPackage = 'agent-orb-kit';

type Exports = Readonly<Record<string, unknown>>;

const scheme = 'agent-orb:';
const provided = new Map<string, Exports>();

/**
 * Makes an import of `agent-orb-kit`, or of `agent-orb-kit/<path>`, return these exports in this thread, wherever the
 * importing file is: code outside the tree shares the classes and tokens of the server that runs it.
 */
export function provideAuthorModule(path: string | undefined, exports: Exports): void {
  const specifier = path === undefined ? authorPackage : `${authorPackage}/${path}`;
  if (provided.size === 0) answerImports();
  provided.set(specifier, exports);
}

/** Makes imports of `agent-orb-kit/plugins/<name>` return the contracts of plugins, by their name. */
export function provideContracts(contracts: Readonly<Record<string, object>>): void {
  for (const [name, contract] of Object.entries(contracts)) provideAuthorModule(`plugins/${name}`, { ...contract });
}

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
