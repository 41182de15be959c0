import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { provideContracts } from '../../boot/author-modules.ts';
import { readConfig } from '../../boot/config.ts';
import { loadDefinition } from '../../boot/definition-file.ts';
import { ConfigError } from '../../error.ts';
import { load } from '../../boot/loader.ts';
import type { Provider } from '../../provider/adapter.ts';
import { catalogOf } from '../../../plugins/runtime/manifests/files.ts';
import type { Orb } from '../../../plugins/runtime/catalog/orb.ts';
import type { JsonSchema } from '../../tools/schema.ts';
import type { VerifySettings } from './settings.ts';
import type { Builtin } from '../../boot/loaded.ts';

/** The subject of a verification: a provider as the platform itself would load it, and the Orb that it is to serve. */
export interface Subject {
  readonly provider: Provider;
  readonly orb: Orb;
  /** Values of settings marked as secrets. */
  readonly secrets: readonly string[];
}

/** Returns the adapter file of a folder, or the file itself; undefined when there is none. */
export function adapterFile(path: string): string | undefined {
  const names = ['', 'index.ts', 'index.mts', 'index.js', 'index.mjs'];
  return names.map((name) => resolve(path, name)).find((file) => existsSync(file) && statSync(file).isFile());
}

/** The settings file of an adapter's folder. */
export function settingsFile(file: string): string {
  return join(file, '..', 'verify.json');
}

/** Loads the adapter by the loader of the platform. Throws ConfigError with all faults. */
export async function loadSubject(
  file: string,
  settings: VerifySettings,
  { builtin, env }: { readonly builtin: Builtin; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Subject> {
  const faults: string[] = [];
  provideContracts(builtin.contracts ?? {});
  const name = ((await loadDefinition(file, file, faults))?.definition as { name?: unknown } | undefined)?.name;
  if (faults.length === 0 && typeof name !== 'string')
    faults.push(`${file}defines no adapter; call api.defineProvider`);
  if (typeof name !== 'string' || faults.length > 0) throw new ConfigError(faults);
  // The rest of platform.json, and its faults, do not matter here.
  const config = {
    ...readConfig(env, process.cwd(), []),
    plugins: {},
    adapters: { [name]: { from: file } },
    providers: { verified: { adapter: name, config: settings.config ?? {} } },
    bindings: {},
  };
  const loaded = await load({ ...config, authorize: builtin.plugins[0]?.name ?? '' }, builtin, faults);
  const provider = loaded.providers.get('verified');
  if (provider === undefined) throw new ConfigError([`${file}: the adapter was not loaded`]);
  const orb = orbOf(provider, settings, [...catalogOf(loaded).orbs.values()]);
  const unfit = orb.inputs.validate(settings.inputs);
  if (unfit.length > 0)
    throw new ConfigError(
      unfit.map(({ pointer, detail }) => `verify.json/inputs${pointer.slice(1)}: ${detail} (${orb.orb_id})`),
    );
  return { provider, orb, secrets: secretsIn(provider.config, provider.adapter.config) };
}

function orbOf({ adapter }: Provider, { orb_id }: VerifySettings, orbs: readonly Orb[]): Orb {
  const fitting = orbs.filter(({ manifest }) => manifest.capability === adapter.capability);
  const orb = orb_id === undefined ? fitting[0] : fitting.find((candidate) => candidate.orb_id === orb_id);
  if (orb !== undefined) return orb;
  const known = fitting.length === 0 ? 'none; create one with orb new orb' : fitting.map((one) => one.orb_id).join();
  throw new ConfigError([
    `verify.json/orb_id: names no Orb with the capability ${adapter.capability}; Orbs with it: ${known}`,
  ]);
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
