import {
  ConfigError,
  fine,
  type CheckedConfig,
  type CommandCall,
  type Examination,
  type Finding,
} from '../../../kernel/index.ts';
import { serverAt } from './server.ts';

/** Examines platform.json, `ORB_*`, manifests, plugins and adapters. */
export const checkConfig: Examination = async (call) => {
  try {
    const { orbs, providers, warnings, ...found } = await call.installation.check();
    const counted = fine('configuration', `${providers.length} providers, ${orbs.length} Orbs, no error`);
    const warned = warnings.map((detail) => ({ name: 'configuration', state: 'warning', detail }) as const);
    return [counted, ...warned, ...exposed(found)];
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

const unsetVariable = /: the environment variable (\S+) is not set$/;

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

function exposed({ insecure_http, listeners }: Pick<CheckedConfig, 'insecure_http' | 'listeners'>): readonly Finding[] {
  const open = listeners.filter(({ address, tls }) => !tls && !/^(127\.|localhost:|\[::1\])/.test(address));
  if (open.length === 0) return [];
  const addresses = open.map(({ address }) => address).join(', ');
  return [
    {
      name: 'listeners',
      state: 'warning',
      detail: `${addresses} can be reached from other machines without TLS`,
      remedy: insecure_http
        ? 'insecure_http is on: keys are sent unencrypted. Set tls of the listener, or use a TLS proxy in front of it.'
        : 'Keys are refused there. Set tls of the listener, or use a TLS proxy in front of it and add it to trust_proxy.',
    },
  ];
}
