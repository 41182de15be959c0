import {
  ConfigError,
  fine,
  type CommandCall,
  type Config,
  type Examination,
  type Finding,
} from '../../../kernel/index.ts';
import { checkConfiguration } from '../configuration.ts';
import { fault, skipped, warning } from './finding.ts';
import { serverAt } from './server.ts';

/** Examines platform.json, `ORB_*`, manifests, plugins and adapters. */
export const checkConfig: Examination = async (call) => {
  try {
    const { config, defined, providers, warnings } = await checkConfiguration(call.installation);
    const orbs = defined['orbs'] ?? [];
    const counted = fine('configuration', `${providers.length} providers, ${orbs.length} Orbs, no error`);
    return [counted, ...warnings.map((detail) => warning('configuration', detail)), ...exposed(config)];
  } catch (error) {
    if (!(error instanceof ConfigError)) return [unloadable(error)];
    const ofServer = error.faults.filter(isOfServer);
    const others = error.faults.filter((one) => !isOfServer(one));
    const unsetHere = ofServer.length === 0 ? [] : [await unset(call, ofServer)];
    return [...others.map((detail) => fault('configuration', detail)), ...unsetHere];
  }
};

// A configuration without a fault can still fail to load because of the store, which holds Orbs too.
function unloadable(error: unknown): Finding {
  const why = error instanceof Error ? error.message : String(error);
  return fault('configuration', `cannot be loaded: ${why}`, 'See the results for the state dir and the store.');
}

const unsetVariable = /: the environment variable (\S+) is not set$/;

// A shell next to the server cannot know whether the server has the variable.
function isOfServer(detail: string): boolean {
  return unsetVariable.test(detail);
}

async function unset(call: CommandCall, faults: readonly string[]): Promise<Finding> {
  const names = [...new Set(faults.map((one) => unsetVariable.exec(one)?.[1] ?? ''))].join(', ');
  const detail = `${names} (in platform.json) are not set here`;
  const server = await serverAt(call);
  return server === undefined
    ? warning('configuration', detail, 'Set them where orb serve runs; with systemd, in /etc/orb.env.')
    : skipped('configuration', `${detail}; the server at ${server} has its own environment`);
}

function exposed({ insecureHttp, listen }: Config): readonly Finding[] {
  const open = listen.filter(({ address, tls }) => tls === undefined && !/^(127\.|localhost:|\[::1\])/.test(address));
  if (open.length === 0) return [];
  const addresses = open.map(({ address }) => address).join(', ');
  const remedy = insecureHttp
    ? 'insecure_http is on: keys are sent unencrypted. Set tls of the listener, or use a TLS proxy in front of it.'
    : 'Keys are refused there. Set tls of the listener, or use a TLS proxy in front of it and add it to trust_proxy.';
  return [warning('listeners', `${addresses} can be reached from other machines without TLS`, remedy)];
}
