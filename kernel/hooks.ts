import type { MaybePromise, AccessRequest, Credential, Decision, Principal } from './access.ts';
import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesHook } from 'tapable';
import { asked, attributed, isThenable, promised } from './hook-answer.ts';
import type { HookOwner, PluginHook } from './plugin-hook.ts';
import type { Presentation } from './http/route/presentation.ts';
import type { Reply } from './http/route/route.ts';
import { AddedWrites, type Attestation, type Fact, type ReceiptWrites } from './fact.ts';

// A hook as a plugin sees it: the plugin can listen, but not call, reorder or intercept.
interface Tappable<Args extends readonly unknown[], Result> {
  /** Adds a listener under the plugin's own name; refused once the boot is done. */
  tap(name: string, listener: (...args: Args) => Result | undefined | Promise<Result | undefined>): void;
}

/** The kernel's hooks, as plugins see them. An imperative name asks (`undefined` = no answer), a participle tells. */
export interface HookTaps {
  /** All plugins have started, the port is still closed. A throw stops the boot. */
  readonly ready: Tappable<[], void>;
  /** Finds the principal of a credential. No answer: 401. */
  readonly authenticate: Tappable<[Credential], Principal>;
  /** Says what is wrong with a refused credential, as far as its holder may know. No answer: a general sentence. */
  readonly explainCredential: Tappable<[Credential], string>;
  /** Decides whether the subject may do this. No answer: 403. Only the plugin that platform.json names gets it. */
  readonly authorize: Tappable<[AccessRequest], Decision>;
  /** Shows to a person in a browser, as a page, what programs get as JSON. No answer: JSON. */
  readonly present: Tappable<[Presentation], Reply>;
  /** Signs and stores one fact; resolves after the durable commit. The boot fails when no plugin taps it. */
  readonly attest: Tappable<[Fact], Attestation>;
  /** Returns a hook that another plugin owns; a hook that no plugin declares is never called. */
  of<Arg, Result>(hook: PluginHook<Arg, Result>): Tappable<[Arg], Result>;
}

/** Names of the hooks that the kernel has. */
export const kernelHooks = ['ready', 'authenticate', 'explainCredential', 'authorize', 'present', 'attest'] as const;

/** The name of a hook that the kernel has. */
export type HookName = (typeof kernelHooks)[number];

/** Calls hooks for the plugin that owns them. Calling a hook of another plugin throws. */
export interface HookCalls {
  /** Tells the listeners of an event; not awaited. */
  tell<Event>(hook: PluginHook<Event>, event: Event): void;
  /** Asks the listeners; the first answer that is not undefined wins. */
  ask<Question, Answer>(hook: PluginHook<Question, Answer>, question: Question): Promise<Answer | undefined>;
}

// Receives the duration of each call of a tap, and a failure of a listener of an event, which is isolated.
interface HookObserver {
  failed(hook: string, tap: string, error: unknown): void;
  timed?(hook: string, tap: string, milliseconds: number): void;
  /** A plugin taps a hook by the way of the last version. */
  outdated?(hook: string, tap: string): void;
}

/** The kernel's own side of the hooks: it alone calls them. */
export interface Hooks {
  ready(): Promise<void>;
  /** Returns at once when every tap does, like `authorize`: a promise for each call is slow under load. */
  authenticate(credential: Credential): MaybePromise<Principal | undefined>;
  explainCredential(credential: Credential): Promise<string | undefined>;
  authorize(request: AccessRequest): MaybePromise<Decision | undefined>;
  present(what: Presentation): MaybePromise<Reply | undefined>;
  /** `A`: what the plugin that attests answers for facts of this kind, by its contract. */
  attest<A extends Attestation>(fact: Fact): Promise<A | undefined>;
  /** Adds writes to the commit of each receipt; the function that is returned ends that. */
  addWrites(owner: string, writes: ReceiptWrites): () => void;
  /** Returns what a plugin gets; `authorize` refuses its taps unless it is `deciding`. */
  taps(options: { deciding: boolean }): HookTaps;
  /** Returns the object by which a plugin calls the hooks that it declares. */
  callsOf(owner: HookOwner): HookCalls;
  /** Lists the asking hooks that no plugin listens to. */
  silent(): readonly HookName[];
  /** Ends the registration of taps. */
  seal(): void;
}

/** Creates the kernel's hooks and those that plugins declare. `observer` receives isolated failures. */
export function createHooks(observer: HookObserver, plugins: readonly HookOwner[] = []): Hooks {
  const all = Object.freeze({
    ready: new AsyncSeriesHook<[]>([], 'ready'),
    authenticate: new AsyncSeriesBailHook<[Credential], Principal>(['credential'], 'authenticate'),
    explainCredential: new AsyncSeriesBailHook<[Credential], string>(['credential'], 'explainCredential'),
    authorize: new AsyncSeriesBailHook<[AccessRequest], Decision>(['request'], 'authorize'),
    present: new AsyncSeriesBailHook<[Presentation], Reply>(['what'], 'present'),
    attest: new AsyncSeriesBailHook<[Fact], Attestation>(['fact'], 'attest'),
  });
  const state = { sealed: false };
  const theirs = createPluginHooks(plugins, (hook, target, tells) => tappable(hook, target, state, observer, tells));
  const kernelTap = (hook: HookName) => tappable(hook, all[hook] as unknown as AnyHook, state, observer, false);
  const open = {
    ...Object.fromEntries(kernelHooks.map((hook) => [hook, kernelTap(hook)])),
    ...formerTaps(plugins, theirs.of, observer),
    of: theirs.of,
  } as unknown as HookTaps;
  const closed: HookTaps = Object.freeze({ ...open, authorize: refused });
  const added = new AddedWrites((owner, error) => observer.failed('attest', owner, error));
  Object.freeze(open);
  return {
    ready: () => all.ready.promise(),
    authenticate: (credential) => asked(all.authenticate, credential),
    explainCredential: (credential) => promised(() => asked(all.explainCredential, credential)),
    authorize: (request) => asked(all.authorize, request),
    present: (what) => asked(all.present, what),
    attest: <A extends Attestation>(fact: Fact) =>
      promised(() => asked(all.attest, added.to(fact)) as MaybePromise<A | undefined>),
    addWrites: (owner, writes) => added.add(owner, writes),
    taps: ({ deciding }) => (deciding ? open : closed),
    callsOf: theirs.callsOf,
    silent: () => (['authenticate', 'authorize', 'attest'] as const).filter((name) => all[name].taps.length === 0),
    seal: () => void (state.sealed = true),
  };
}

// Plugins of the last version tap these hooks as members of `hooks`.
function formerTaps(plugins: readonly HookOwner[], of: HookTaps['of'], observer: HookObserver): object {
  const former = plugins.flatMap(({ hooks }) => hooks).filter(({ formerly }) => formerly === 'kernel');
  const outdated = (hook: HookOwner['hooks'][number]) =>
    Object.freeze({
      tap(name: string, listener: (...args: never[]) => unknown) {
        observer.outdated?.(hook.name, name);
        of(hook).tap(name, listener);
      },
    });
  return Object.fromEntries(former.map((hook) => [hook.name, outdated(hook)]));
}

type MakeTappable = (hook: string, target: AnyHook, isolated: boolean) => Tappable<never[], unknown>;

// Hooks of plugins, by name. Listeners of a hook that no plugin declares are kept and never called.
function createPluginHooks(plugins: readonly HookOwner[], tappableOf: MakeTappable) {
  const asks = new Map<string, AsyncSeriesBailHook<[unknown], unknown>>();
  const tells = new Map<string, AsyncParallelHook<[unknown]>>();
  for (const { name, kind } of plugins.flatMap(({ hooks }) => hooks))
    if (kind === 'ask') asks.set(name, new AsyncSeriesBailHook(['question'], name));
    else tells.set(name, new AsyncParallelHook(['event'], name));
  const inert = Object.freeze({ tap: () => undefined });
  return {
    of<Arg, Result>({ name }: PluginHook<Arg, Result>): Tappable<[Arg], Result> {
      const hook = asks.get(name) ?? tells.get(name);
      // The cast is safe: the owner and the listeners of a hook import the same typed token.
      if (hook !== undefined) return tappableOf(name, hook as unknown as AnyHook, tells.has(name));
      return inert;
    },
    callsOf({ name: owner, hooks }: HookOwner): HookCalls {
      const own = new Set(hooks.map(({ name }) => name));
      const held = <H>(found: ReadonlyMap<string, H>, name: string): H => {
        const hook = own.has(name) ? found.get(name) : undefined;
        if (hook === undefined) throw new Error(`the plugin ${owner} does not own the hook ${name}`);
        return hook;
      };
      return Object.freeze({
        tell: <Event>({ name }: PluginHook<Event>, event: Event) => tell(held(tells, name), event),
        ask: <Question, Answer>({ name }: PluginHook<Question, Answer>, question: Question) =>
          promised(() => asked(held(asks, name), question) as MaybePromise<Answer | undefined>),
      });
    },
  };
}

const refused: HookTaps['authorize'] = Object.freeze({
  tap: (name: string) => {
    throw new Error(`${name} may not tap authorize: platform.json names another plugin as deciding ("authorize")`);
  },
});

type Done = (error: Error | null, result?: unknown) => void;

interface AnyHook {
  readonly taps: readonly unknown[];
  tapAsync(name: string, fn: (...args: never[]) => void): void;
}

// The listener never throws into the hook: a synchronous throw in a parallel hook would keep later taps from starting.
function tappable(
  hook: string,
  target: AnyHook,
  state: { sealed: boolean },
  observer: HookObserver,
  isolated: boolean,
) {
  return Object.freeze({
    tap(name: string, listener: (...args: never[]) => unknown): void {
      if (state.sealed) throw new Error(`${name} taps ${hook} after the start; tap in start()`);
      const timed = (begun: number): void => observer.timed?.(hook, name, performance.now() - begun);
      const failed = (done: Done, begun: number, error: unknown): void => {
        timed(begun);
        if (!isolated) return done(attributed(hook, name, error));
        observer.failed(hook, name, error);
        done(null);
      };
      const answered = (done: Done, begun: number, result: unknown): void => {
        if (result === null)
          return failed(done, begun, new Error('returned null; to give no answer, return undefined'));
        timed(begun);
        done(null, result);
      };
      target.tapAsync(name, (...given: never[]) => {
        // Tapable hands the callback last.
        const done = given.pop() as unknown as Done;
        const begun = observer.timed === undefined ? 0 : performance.now();
        let result: unknown;
        try {
          result = listener(...given);
        } catch (error) {
          return failed(done, begun, error);
        }
        if (!isThenable(result)) return answered(done, begun, result);
        result.then(
          (value) => answered(done, begun, value),
          (error: unknown) => failed(done, begun, error),
        );
      });
    },
  });
}

function tell<E>(hook: AsyncParallelHook<[E]>, event: E): void {
  if (hook.taps.length === 0) return;
  try {
    hook.callAsync(event, ignored);
  } catch {
    // The observer gets the failure of a listener; if the observer fails too, the failure is dropped.
  }
}

const ignored = (): void => undefined;
