import { readConfig } from '../../config.ts';
import { ConfigError } from '../../error.ts';
import { load, type Builtin } from '../../loader.ts';
import { fine, type Examination, type Finding } from './finding.ts';

/** Makes the look at platform.json, `ORB_*`, manifests, plugins and adapters. */
export function checkConfig(builtin: Builtin): Examination {
  return async ({ env }) => {
    const faults: string[] = [];
    try {
      const config = readConfig(env, process.cwd(), faults);
      const { providers, catalog } = await load(config, builtin, faults);
      const found = fine('configuration', `${providers.size} providers, ${catalog.orbs.size} Orbs, no fault`);
      return [found, ...exposed(config)];
    } catch (error) {
      const all =
        error instanceof ConfigError ? error.faults : [error instanceof Error ? error.message : String(error)];
      return all.map((detail) => ({ name: 'configuration', state: 'fault', detail }));
    }
  };
}

function exposed({ insecureHttp, listen }: ReturnType<typeof readConfig>): readonly Finding[] {
  const open = listen.filter(({ address, tls }) => tls === undefined && !/^(127\.|localhost:|\[::1\])/.test(address));
  if (open.length === 0) return [];
  const addresses = open.map(({ address }) => address).join(', ');
  return [
    {
      name: 'listeners',
      state: 'warning',
      detail: `${addresses} can be reached from elsewhere without TLS`,
      remedy: insecureHttp
        ? 'insecure_http is on: keys travel in the clear. Give the listener tls, or put a TLS proxy before it.'
        : 'Keys are refused there. Give the listener tls, or put a TLS proxy before it and name it in trust_proxy.',
    },
  ];
}
