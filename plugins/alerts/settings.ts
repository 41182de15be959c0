import { ConfigError, digest, canonical, exactly, optional, type Infer } from '../../kernel/index.ts';
import { admitsOrb, orbId, unknownOrb, type Catalog } from '../runtime/contract.ts';
import { causes } from './causes.ts';
import { filled, longestWords } from './words.ts';

const alert = exactly('Alert', {
  when: {
    enum: causes,
    description:
      'What the alert is about. `key_expiring`: an API key, `certificate_expiring`: the TLS certificate of a public address, each 14 days and 2 days before it expires',
  },
  orb_id: { ...orbId, description: 'The Orb that sends the message' },
  orbiset_id: optional({
    type: 'string',
    maxLength: 64,
    description: 'The Orbiset in which it runs. Default: `default`',
  }),
  inputs: {
    type: 'object',
    description:
      'The inputs of the Orb. In its texts, `{subject}` is a title of one line, `{summary}` what happened, `{count}` ' +
      'how often, `{url}` the page that shows it',
    examples: [{ to: 'ada@example.com', from_address: 'orb@example.com', subject: '{subject}', body: '{summary}' }],
  },
});

/** Schema of the settings of alerts. */
export const config = exactly({
  alerts: optional({
    type: 'array',
    maxItems: 100,
    uniqueItems: true,
    items: alert,
    description:
      'Messages about this installation: `when` something happens, `orb_id` runs with `inputs`, at most once in ten minutes for each subject. Default: none',
  }),
});

type Setting = NonNullable<Infer<typeof config>['alerts']>[number];

/** One alert of the settings. */
export interface Alert extends Required<Setting> {
  /** `alerts[0]` */
  readonly place: string;
  /** Digest of what the settings say of it: an alert that is changed is another one. */
  readonly key: string;
}

/** Reads the alerts of the settings. Throws `ConfigError` for one that could not be sent. */
export function alertsOf({ alerts = [] }: Infer<typeof config>, catalog: Catalog): readonly Alert[] {
  const faults: string[] = [];
  const read = alerts.map(({ orbiset_id = 'default', ...rest }, at): Alert => {
    const place = `alerts[${at}]`;
    const setting = { ...rest, orbiset_id };
    for (const fault of faultsOf(setting, catalog)) faults.push(`plugins.alerts.config.${place}.${fault}`);
    return { ...setting, place, key: digest(canonical(setting)) };
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return read;
}

function faultsOf({ orb_id, orbiset_id, inputs }: Required<Setting>, catalog: Catalog): readonly string[] {
  const orb = catalog.orbs.get(orb_id);
  const orbiset = catalog.orbisets.get(orbiset_id);
  if (orb === undefined) return [`orb_id: ${unknownOrb(orb_id, catalog.orbs.keys()).message}`];
  if (orbiset === undefined) return [`orbiset_id: there is no Orbiset ${orbiset_id}`];
  if (!admitsOrb(orbiset, orb_id))
    return [`orb_id: the Orbiset ${orbiset_id} does not admit ${orb_id}; add it to \`orbs\` of the Orbiset`];
  // Words as long as they can be: an alert must not fail because much has happened.
  const faults = orb.inputs.validate(filled(inputs, longestWords));
  return faults.map(({ pointer, detail }) => `inputs${pointer.slice(1).replaceAll('/', '.')}: ${detail}`);
}
