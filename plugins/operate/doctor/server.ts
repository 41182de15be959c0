import { ClientError, fine, type CommandCall, type Examination, type Finding } from '../../../kernel/index.ts';
import { serverUrl } from '../../../kernel/maintenance.ts';
import { fault, skipped, warning } from './finding.ts';

interface Ready {
  readonly components?: Readonly<Record<string, string>>;
}

interface Node {
  readonly name: string;
  readonly reason?: string;
}

interface PolicyStatus {
  readonly health?: string;
  readonly compiler?: string;
  readonly rejected?: {
    readonly diagnostics: readonly { readonly file?: string; readonly line?: number; readonly message: string }[];
  } | null;
}

interface ProviderStatus {
  readonly orb_id: string;
  readonly active_provider?: string;
  readonly providers: readonly ProviderRow[];
}

interface ProviderRow {
  readonly name: string;
  readonly health: string;
  readonly probe_failure?: LastFailure;
  readonly call_failure?: LastFailure;
}

interface LastFailure {
  readonly at: string;
  readonly reason: string;
}

/** Reads the state of a running server's components, policies and providers; reports nothing when no server runs. */
export const checkServer: Examination = async (call) => {
  const ready = await ask<Ready>(call, '/health/ready');
  if ('unreachable' in ready) return unasked('server', ready);
  const allowed = await ask(call, '/orbs');
  if ('unreachable' in allowed) return [...components(ready.body), ...unasked('policies and providers', allowed)];
  return [
    ...components(ready.body),
    ...(await examined(call, 'nodes', '/nodes', nodes)),
    ...(await examined(call, 'policies', '/policies/-/status', policies)),
    ...(await examined(call, 'providers', '/orbs', (orbs: Orbs) => providers(call, orbs))),
    ...(await events(call)),
  ];
};

/** Returns the address of the running server, if there is one. */
export async function serverAt(call: CommandCall): Promise<string | undefined> {
  const asked = await ask(call, '/health/ready');
  return 'unreachable' in asked && asked.status === undefined ? undefined : serverUrl(call.env);
}

/** Asks only whether the server runs, and says so; exit code 1 when it does not answer. */
export async function checkLive(call: CommandCall): Promise<number> {
  const asked = await ask<object>(call, '/health');
  const live = 'body' in asked;
  call.print({ live }, live ? 'The server runs.' : asked.unreachable);
  return live ? 0 : 1;
}

type Asked<T> = { readonly body: T } | NoAnswer;

interface NoAnswer {
  readonly unreachable: string;
  /** HTTP status of the refusal, if there was one. */
  readonly status?: number;
}

// A component that is down makes the answer of /health/ready 503, with the components; any other problem answers nothing.
async function ask<T>(call: CommandCall, path: string): Promise<Asked<T>> {
  try {
    return { body: await call.client().request<T>('GET', path) };
  } catch (error) {
    if (!(error instanceof ClientError)) return { unreachable: error instanceof Error ? error.message : String(error) };
    const { message, problem, status } = error;
    if (problem?.['components'] !== undefined) return { body: problem as T };
    return { unreachable: message, ...(status > 0 ? { status } : {}) };
  }
}

// What the server refuses to say is not in order by that; a route that it does not have belongs to no running plugin.
function unasked(name: string, { status, unreachable }: NoAnswer): readonly Finding[] {
  return status === 404 ? [] : [skipped(name, unreachable)];
}

type Examine<T> = (body: T) => readonly Finding[] | Promise<readonly Finding[]>;

async function examined<T>(call: CommandCall, name: string, path: string, examine: Examine<T>) {
  const asked = await ask<T>(call, path);
  return 'unreachable' in asked ? unasked(name, asked) : examine(asked.body);
}

function components({ components: found = {} }: Ready): readonly Finding[] {
  const sick = Object.entries(found).filter(([, health]) => health !== 'up');
  if (sick.length === 0) return [fine('components', `${Object.keys(found).join(', ')} are up`)];
  return sick.map(([name, health]) =>
    (health === 'down' ? fault : warning)(`component ${name}`, `is ${health}`, 'The log of the server says why.'),
  );
}

function nodes({ nodes: all = [] }: { readonly nodes?: readonly Node[] }): readonly Finding[] {
  if (all.length < 2) return [];
  const odd = all.filter(({ reason }) => reason !== undefined);
  if (odd.length === 0) return [fine('nodes', 'all active nodes have the same configuration')];
  const remedy = 'Copy the platform.json of the other nodes to it, then reload or restart it.';
  return odd.map(({ name, reason = '' }) => warning(`node ${name}`, reason, remedy));
}

function policies({ health, compiler = '', rejected }: PolicyStatus): readonly Finding[] {
  if (health === undefined) return [];
  if (rejected === null && health === 'operational') return [fine('policies', `${health}, compiler ${compiler}`)];
  const found = rejected?.diagnostics ?? [{ message: `the engine is in ${health}` }];
  const remedy = 'The last valid revision is active. Fix the file; the server activates it automatically.';
  return found.map(({ file, line, message }) =>
    fault('policies', file === undefined ? message : `${file}:${line ?? 0}: ${message}`, remedy),
  );
}

type Orbs = { readonly orbs?: readonly { readonly orb_id: string }[] };

async function providers(call: CommandCall, { orbs = [] }: Orbs): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { orb_id } of orbs) {
    const path = `/providers/${encodeURIComponent(orb_id)}/status`;
    const found = (status: ProviderStatus) => (Array.isArray(status.providers) ? [ofOrb(orb_id, status)] : []);
    findings.push(...(await examined(call, `providers of ${orb_id}`, path, found)));
  }
  return findings;
}

function ofOrb(orbId: string, { active_provider, providers: all }: ProviderStatus): Finding {
  const name = `providers of ${orbId}`;
  if (all.length === 0) return skipped(name, 'no provider offers its capability; platform.json names none');
  const down = all.filter(({ health }) => health === 'down');
  const shown = all.map((one) => `${one.name} ${one.health}`).join(', ');
  if (down.length === 0) return fine(name, shown);
  const served = active_provider !== undefined && down.every((one) => one.name !== active_provider);
  const remedy = 'orb providers status shows each reason; orb providers swap changes to another provider.';
  return (served ? warning : fault)(name, [shown, ...down.flatMap(whyDown)].join('; '), remedy);
}

// The newest failure of a provider that is down, with the setting to change where the server knows it.
function whyDown({ name, probe_failure: probe, call_failure: call }: ProviderRow): readonly string[] {
  const newest = (probe?.at ?? '') >= (call?.at ?? '') ? probe : call;
  return newest === undefined ? [] : [`${name}: ${newest.reason}`];
}

// A proxy on the way that compresses or collects the stream holds events back, which clients take for silence.
async function events(call: CommandCall): Promise<readonly Finding[]> {
  const cut = new AbortController();
  try {
    const headers = { 'accept-encoding': 'gzip, br' };
    const answer = await call.client().open('GET', '/events', { headers, signal: cut.signal });
    if (!answer.ok) return [];
    const coding = answer.headers.get('content-encoding');
    const kept = /\bno-transform\b/.test(answer.headers.get('cache-control') ?? '');
    if (kept && coding === null) return [fine('events', 'the stream arrives unchanged')];
    const what = coding === null ? 'removes no-transform from its Cache-Control' : `encodes it as ${coding}`;
    const detail = `a proxy in front of ${serverUrl(call.env)} changes the stream of events: it ${what}`;
    const remedy =
      'Configure the proxy to forward /events unchanged: no compression, no buffering, and Cache-Control: no-transform kept.';
    return [warning('events', detail, remedy)];
  } catch {
    return [];
  } finally {
    cut.abort();
  }
}
