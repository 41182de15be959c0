import { useGet, type Reading } from '../../frame/resource.ts';
import type { FormSchema } from '../../parts/form.ts';
import type { AdapterList, ProviderDetail } from '../../frame/wire.ts';

/** What a provider can be made of. */
export type Adapter = Omit<AdapterList['adapters'][number], 'config'> & { readonly config: FormSchema };

/** The adapters, and what forms of providers need. */
export interface Adapters extends Omit<AdapterList, 'adapters' | 'limits'> {
  readonly adapters: readonly Adapter[];
  readonly limits: FormSchema;
}

/** Reads the adapters. */
export const useAdapters = (): Reading<Adapters> => useGet<Adapters>('/adapters');

/** The form of a provider: the members of the body that it is put with, apart from the adapter. */
export function schemaOf({ config }: Pick<Adapter, 'config'>, limits: FormSchema): FormSchema {
  const settings =
    Object.keys(config.properties ?? {}).length === 0 ? {} : { config: { ...config, title: 'Settings' } };
  return { type: 'object', properties: { ...settings, limits: { ...limits, title: 'Limits' } }, required: ['config'] };
}

/** A provider as it is shown; its settings are those of its adapter, without secrets. */
export type ShownProvider = ProviderDetail & { readonly config?: Readonly<Record<string, unknown>> };
