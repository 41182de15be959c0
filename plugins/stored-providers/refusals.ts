import { parseTarget, isPublicAddress, systemResolve, type AllowList } from '../../kernel/outbound.ts';
import type { Fault } from '../../kernel/index.ts';

/** Which hosts may have a private address: what `private_hosts` of the plugin allows. */
export type AddressRule = Pick<AllowList, 'exempt'>;

/** Makes the rule; an entry without a port allows every port of its host. */
export function addressRuleOf(
  hosts: readonly { readonly host: string; readonly port?: number | undefined }[],
): AddressRule {
  return {
    exempt: (target) =>
      hosts.some(({ host, port }) => host === target.host && (port === undefined || port === target.port)),
  };
}

/** Adapters that only platform.json may use, with the reason. */
const onlyInFile: Readonly<Record<string, string>> = { 'mcp/stdio': 'it starts a program on the server' };

/** Says why no provider of the store may have an adapter. */
export function refusedAdapter(name: string): string | undefined {
  const reason = onlyInFile[name];
  return reason && `${name} can only be used in platform.json: ${reason}`;
}

interface Found {
  readonly pointer: string;
  readonly name: string;
  readonly value: unknown;
  readonly beside: Readonly<Record<string, unknown>>;
}

/**
 * Lists what only platform.json may hold: references to variables and files, folders of the server apart from outboxes,
 * and private addresses that the rule does not exempt. Names are resolved now, and again at each connection.
 */
export async function refusedMembers(config: object, rule: AddressRule): Promise<readonly Fault[]> {
  const members = membersOf(config, '#/config');
  const faults = await Promise.all(members.map((member) => faultOf(member, rule)));
  return members.flatMap(({ pointer }, index) => {
    const detail = faults[index];
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}

function membersOf(value: unknown, at: string): readonly Found[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [
      { pointer, name, value: member as unknown, beside: value as Found['beside'] },
      ...membersOf(member, pointer),
    ];
  });
}

async function faultOf({ name, value, beside }: Found, rule: AddressRule): Promise<string | undefined> {
  if (name === '$env' || name === '$file')
    return 'references are resolved only in platform.json; send the value itself, which is sealed in the store';
  if (name === 'directory' && typeof value === 'string' && !/^outbox[a-z0-9_/-]*$/.test(value))
    return 'must begin with `outbox`, in small letters, without a dot; another folder can only be named in platform.json';
  const endpoint = endpointOf(name, value, beside);
  if (endpoint === undefined || rule.exempt(endpoint)) return undefined;
  if (beside['private'] === true) return privateAddress;
  return (await isPrivate(endpoint.host)) ? privateAddress : undefined;
}

const privateAddress =
  'leads to a private or local address; allow its host in `private_hosts` of the plugin stored-providers in platform.json';

function endpointOf(name: string, value: unknown, { port, secure }: Found['beside']) {
  if (typeof value !== 'string') return undefined;
  if (/^https?:\/\//i.test(value)) return targetOf(value);
  if (name !== 'host') return undefined;
  const host = value.includes(':') && !value.startsWith('[') ? `[${value}]` : value;
  const usual = secure === true ? 465 : 443;
  return { scheme: 'https', host: host.toLowerCase(), port: typeof port === 'number' ? port : usual } as const;
}

// A URL that cannot be read is a fault of the schema, or of the opening.
function targetOf(url: string) {
  try {
    return parseTarget(url);
  } catch {
    return undefined;
  }
}

async function isPrivate(host: string): Promise<boolean> {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  if (address.startsWith('*.')) return false;
  const found = await systemResolve(address).catch(() => []);
  return !found.every((one) => isPublicAddress(one.address));
}
