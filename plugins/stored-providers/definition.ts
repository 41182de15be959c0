import { refusedAdapter, refusedMembers, type AddressRule } from './refusals.ts';
import { withoutSecrets } from './secrets.ts';
import { purpose, type SealedRow } from './store.ts';
import type { providerRequest } from './schema.ts';
import { similarTo } from '../../kernel/index.ts';
import {
  canonical,
  compile,
  digest,
  given,
  PlatformError,
  type Answered,
  type Fault,
  type Sealer,
} from '../../kernel/index.ts';
import type { Adapter } from '../../kernel/adapter.ts';
import type { StoredProvider } from '../runtime/contract.ts';

/** What is sealed of a provider: its configuration as it was sent, and its limits. */
export interface Definition {
  readonly config: Readonly<Record<string, unknown>>;
  readonly limits?: StoredProvider['limits'];
}

/** A provider as it was asked for, checked. */
export interface Checked extends Definition {
  readonly name: string;
  readonly adapter: Adapter;
  readonly config_digest: string;
  /** Digest of adapter, configuration and limits. */
  readonly tag: string;
}

const mostCharacters = 65_536;

/** What definitions are checked and made with. */
export interface DefinitionScope {
  readonly adapters: readonly Adapter[];
  readonly rule: AddressRule;
  readonly sealer: Sealer;
}

/** Checks a provider before it is stored. Throws 422 `invalid_provider` with all faults; none shows a value. */
export async function checkedDefinition(
  name: string,
  request: Answered<typeof providerRequest>,
  { adapters, rule, sealer }: DefinitionScope,
): Promise<Checked> {
  const adapter = adapterOf(request.adapter, adapters);
  const definition: Definition = { config: request.config ?? {}, ...given({ limits: limitsOf(request.limits) }) };
  const { config, limits } = definition;
  const tooLong = canonical(config).length > mostCharacters;
  refuse(tooLong ? [{ pointer: '#/config', detail: `is longer than ${mostCharacters} characters as JSON` }] : []);
  const bounds = limits === undefined || limits.rate !== undefined || limits.concurrency !== undefined;
  refuse(bounds ? [] : [{ pointer: '#/limits', detail: 'needs `rate`, `concurrency` or both' }]);
  refuse(await refusedMembers(config, rule));
  refuse(filled(config, adapter).faults);
  const config_digest = digestOf(name, { adapter, config }, sealer);
  const tag = digest(canonical(given({ config_digest, limits })));
  return { name, adapter, ...definition, config_digest, tag };
}

/** Makes the provider of a row. Throws when its configuration does not fit the adapter any more. */
export function providerOf(
  row: Pick<SealedRow, 'name' | 'config_digest'>,
  { config, limits }: Definition,
  adapter: Adapter,
): StoredProvider {
  const { faults, value } = filled(config, adapter);
  if (faults.length > 0) throw new Error(faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '));
  const provider: StoredProvider = Object.freeze({
    ...{ origin: 'store', name: row.name, adapter, config: value, config_digest: row.config_digest },
    ...given({ limits }),
    renew: () => provider,
  });
  return provider;
}

/** Opens the sealed definition of a row. */
export function openedOf({ definition }: SealedRow, sealer: Sealer): Definition {
  return JSON.parse(Buffer.from(sealer.open(purpose, definition)).toString()) as Definition;
}

function adapterOf(name: string, adapters: readonly Adapter[]): Adapter {
  const refused = refusedAdapter(name);
  const found = adapters.find((adapter) => adapter.name === name);
  if (refused === undefined && found !== undefined) return found;
  const meant = similarTo(
    name,
    adapters.map((adapter) => adapter.name),
  );
  const hint = meant === undefined ? 'GET /providers shows the adapters in use' : `did you mean ${meant}?`;
  const detail = refused ?? `there is no shipped adapter with this name; ${hint}`;
  throw invalid([{ pointer: '#/adapter', detail }]);
}

function limitsOf(limits: Answered<typeof providerRequest>['limits']): Definition['limits'] {
  return limits === undefined ? undefined : { ...given(limits), queue: limits.queue ?? 256 };
}

// The validator fills defaults in.
function filled(config: object, adapter: Adapter): { readonly value: unknown; readonly faults: readonly Fault[] } {
  const value = structuredClone(config);
  const faults = compile(adapter.config)(value);
  return { value, faults: faults.map(({ pointer, detail }) => ({ pointer: `#/config${pointer.slice(1)}`, detail })) };
}

// Receipts show the digest: a plain secret in it could be guessed and checked.
function digestOf(
  name: string,
  { adapter, config }: { readonly adapter: Adapter; readonly config: object },
  sealer: Sealer,
): string {
  const coded = withoutSecrets(config, adapter.config, (pointer, value) => ({
    $sealed: sealer.mac(purpose, canonical([name, pointer, value])),
  }));
  return digest(canonical({ adapter: adapter.name, config: coded }));
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid(faults);
}

function invalid(errors: readonly Fault[]): PlatformError {
  return new PlatformError('invalid_provider', 'nothing was changed; correct the errors and send it again', { errors });
}
