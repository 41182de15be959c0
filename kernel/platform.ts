import { decide, type AccessRequest, type Allowed, type Denied, type MaybePromise } from './access.ts';
import type { Description } from './description.ts';
import { PlatformError } from './error.ts';
import type { AnyFact, Attestation, Fact, FactOwner, ReceiptWrites } from './fact.ts';
import { toProblem, type Problem } from './http/route/problem.ts';
import type { ProblemTable } from './problem-table.ts';
import type { ComponentHealth, HealthCheck } from './health.ts';
import type { Hooks } from './hooks.ts';
import type { NodeIdentity } from './store/contract.ts';

/** The kernel's functions for plugins. `attest` works from `ready` on, `describe` once the kernel serves. */
export interface Platform {
  /** The process that serves: its name, and which start of it. */
  readonly node: NodeIdentity;
  /** Attests one fact of a declared kind; resolves after the durable commit. Throws 503 when it cannot be recorded. */
  attest<F extends AnyFact, A extends Attestation = Attestation>(fact: Fact<F, A>): Promise<A>;
  /** Adds writes to the commit of each receipt, of whatever fact; the function that is returned ends that. */
  onReceipt(writes: ReceiptWrites): () => void;
  /** Asks the deciding plugin whether an action is allowed; answers at once when it does. No answer denies. */
  decide(request: AccessRequest): MaybePromise<Allowed | Denied>;
  /** Makes the problem that the HTTP API answers for a failure; for protocols that answer it in another form. */
  problemOf(failure: PlatformError, requestId: string): Problem;
  /** Health of the store and of each plugin that measures its own, by name. */
  components(): Readonly<Record<string, ComponentHealth>>;
  /** Describes the program as it runs: its routes, commands, settings, adapters and problems. */
  describe(): Description;
}

/** What the platform is made from. */
export interface PlatformOptions {
  readonly node: NodeIdentity;
  readonly problems: ProblemTable;
  readonly publicUrl: string;
  readonly hooks: Hooks;
  readonly health: ReadonlyMap<string, HealthCheck>;
  /** Asked once all routes are known. */
  readonly describe: () => Description;
}

/** Creates the Platform of one plugin, which attests only facts of the kinds that the plugin declares. */
export function platformFor(
  { name, facts, attests }: FactOwner & { readonly attests: readonly string[] },
  options: PlatformOptions,
): Platform {
  const { hooks, health } = options;
  const declared = new Set([...attests, ...facts.map(({ kind }) => kind)]);
  return Object.freeze({
    node: options.node,
    attest<F extends AnyFact, A extends Attestation = Attestation>(fact: Fact<F, A>): Promise<A> {
      const { kind } = fact.fact;
      if (declared.has(kind)) return hooks.attest<A>(fact).then(given);
      const detail = `the plugin ${name} does not declare facts of the kind ${kind}`;
      return Promise.reject(new PlatformError('internal', detail));
    },
    onReceipt: (writes: ReceiptWrites) => hooks.addWrites(name, writes),
    decide: (request: AccessRequest) => decide(hooks.authorize(request)),
    problemOf: (failure: PlatformError, requestId: string) => toProblem(failure, options, requestId),
    components: () => Object.fromEntries([...health].map(([component, check]) => [component, check()])),
    describe: options.describe,
  });
}

function given<A>(attested: A | undefined): A {
  if (attested !== undefined) return attested;
  throw new PlatformError('internal', 'no plugin can attest yet; call this after the hook `ready`');
}
