import { readConfig } from '../../boot/config.ts';
import { ConfigError } from '../../error.ts';
import { load, type Builtin } from '../../boot/loader.ts';
import { checkStored } from '../../runtime/manifests/stored.ts';
import { notSet } from '../../tools/secret.ts';
import type { CommandCall } from '../command.ts';
import { fine, type Examination, type Finding } from './finding.ts';
import { serverAt } from './server.ts';

/** Makes the examination of platform.json, `ORB_*`, manifests, plugins and adapters. */
export function checkConfig(builtin: Builtin): Examination {
  return async (call) => {
    const faults: string[] = [];
    try {
      const config = readConfig(call.env, process.cwd(), faults);
      const { place, providers, catalog, warnings } = await load(config, builtin, faults);
      await checkStored(catalog, place);
      const found = fine('configuration', `${providers.size} providers, ${catalog.orbs.size} Orbs, no error`);
      const warned = warnings.map((detail) => ({ name: 'configuration', state: 'warning', detail }) as const);
      return [found, ...warned, ...exposed(config)];
    } catch (error) {
      if (!(error instanceof ConfigError)) return [unloadable(error)];
      const all = error.faults;
      const ofServer = all.filter(isOfServer);
      const sick = all.filter((fault) => !isOfServer(fault));
      return [
        ...sick.map((detail) => ({ name: 'configuration', state: 'fault', detail }) as const),
        ...(ofServer.length === 0 ? [] : [await unset(call, ofServer)]),
      ];
    }
  };
}

// A configuration without a fault can still fail to load because of the store, which holds Orbs too.
function unloadable(error: unknown): Finding {
  const detail = `cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
  return {
    name: 'configuration',
    state: 'fault',
    detail,
    remedy: 'See the results for the state dir and the store.',
  };
}

const unsetVariable = new RegExp(`: ${notSet('(\\S+)')}$`);

// A shell beside the server cannot know whether the server has the variable.
function isOfServer(fault: string): boolean {
  return unsetVariable.test(fault);
}

async function unset(call: CommandCall, faults: readonly string[]): Promise<Finding> {
  const names = [...new Set(faults.map((fault) => unsetVariable.exec(fault)?.[1] ?? ''))].join(', ');
  const server = await serverAt(call);
  if (server !== undefined) {
    const detail = `${names} (in platform.json) are not set here; the server at ${server} has its own environment`;
    return { name: 'configuration', state: 'skipped', detail };
  }
  return {
    name: 'configuration',
    state: 'warning',
    detail: `${names} (in platform.json) are not set here`,
    remedy: 'Set them where orb serve runs; with systemd, in /etc/orb.env.',
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
      detail: `${addresses} can be reached from other machines without TLS`,
      remedy: insecureHttp
        ? 'insecure_http is on: keys are sent unencrypted. Set tls of the listener, or use a TLS proxy in front of it.'
        : 'Keys are refused there. Set tls of the listener, or use a TLS proxy in front of it and add it to trust_proxy.',
    },
  ];
}
