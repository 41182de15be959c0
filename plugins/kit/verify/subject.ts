import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Provider } from '../../../kernel/adapter.ts';
import { ConfigError, type Installation, type JsonSchema } from '../../../kernel/index.ts';
import type { VerifySettings } from './settings.ts';
import { catalogOf, type Orb } from '../../runtime/contract.ts';

/** The subject of a verification: an adapter as the platform itself would load it, and the Orb that it is to serve. */
export interface Subject extends Pick<Provider, 'adapter' | 'config' | 'config_digest'> {
  readonly orb: Orb;
  /** Values of settings marked as secrets. */
  readonly secrets: readonly string[];
}

/** Where an adapter is: in a file, or in the program under its name. */
export type AdapterPlace = { readonly file: string } | { readonly shipped: string };

/** Returns the adapter file of a folder, or the file itself; undefined when there is none. */
export function adapterFile(path: string): string | undefined {
  const names = ['', 'index.ts', 'index.mts', 'index.js', 'index.mjs'];
  return names.map((name) => resolve(path, name)).find((file) => existsSync(file) && statSync(file).isFile());
}

/** Says whether a text has the form of the name of an adapter. */
export const isAdapterName = (text: string): boolean => /^[a-z][a-z0-9-]*\/[a-z0-9-]+$/.test(text);

/** The settings file of an adapter's folder. */
export function settingsFile(file: string): string {
  return join(file, '..', 'verify.json');
}

/** Loads the adapter by the loader of the platform. Throws ConfigError with all faults. */
export async function loadSubject(
  place: AdapterPlace,
  settings: VerifySettings,
  installation: Installation,
): Promise<Subject> {
  const configured = await loadAdapter(place, settings.config ?? {}, installation);
  const { adapter, config } = configured;
  const orb = orbOf(adapter.capability, settings, [...catalogOf(installation.home).orbs.values()]);
  const unfit = orb.inputs.validate(settings.inputs);
  if (unfit.length > 0)
    throw new ConfigError(
      unfit.map(({ pointer, detail }) => `verify.json/inputs${pointer.slice(1)}: ${detail} (${orb.orb_id})`),
    );
  return { ...configured, orb, secrets: secretsIn(config, adapter.config) };
}

/** Loads an adapter as a start does: references resolved, defaults filled in. Throws ConfigError. */
async function loadAdapter(
  place: AdapterPlace,
  config: Readonly<Record<string, unknown>>,
  { define, load, read, shipped }: Installation,
) {
  const adapters = 'file' in place ? { [await nameIn(place.file, define)]: { from: place.file } } : {};
  const adapter = 'file' in place ? (Object.keys(adapters)[0] ?? '') : place.shipped;
  // The rest of platform.json, and its faults, do not matter here.
  const only = {
    ...read([]),
    plugins: {},
    adapters,
    providers: { verified: { adapter, config } },
    bindings: {},
    authorize: shipped[0]?.name ?? '',
  };
  const provider = (await load(only, [])).providers.get('verified');
  if (provider === undefined) throw new ConfigError([`${adapter}: the adapter was not loaded`]);
  return provider;
}

async function nameIn(file: string, define: Installation['define']): Promise<string> {
  const { name } = (await define(file)) as { readonly name?: unknown };
  if (typeof name === 'string') return name;
  throw new ConfigError([`${file} defines no adapter; call api.defineProvider`]);
}

function orbOf(capability: string, { orb_id }: VerifySettings, orbs: readonly Orb[]): Orb {
  const fitting = orbs.filter(({ manifest }) => manifest.capability === capability);
  const orb = orb_id === undefined ? fitting[0] : fitting.find((candidate) => candidate.orb_id === orb_id);
  if (orb !== undefined) return orb;
  const known = fitting.length === 0 ? 'none; create one with orb new orb' : fitting.map((one) => one.orb_id).join();
  throw new ConfigError([`verify.json/orb_id: names no Orb with the capability ${capability}; Orbs with it: ${known}`]);
}

/** Lists the values that a schema marks as secret. */
function secretsIn(value: unknown, schema: JsonSchema): string[] {
  if (schema['secret'] === true) return typeof value === 'string' && value !== '' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const rest = schema[Array.isArray(value) ? 'items' : 'additionalProperties'];
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([key, member]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : rest;
    return typeof property === 'object' && property !== null ? secretsIn(member, property as JsonSchema) : [];
  });
}
