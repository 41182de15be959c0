import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answered, Cluster, ClusterNode, CommandEnd, ShownRun } from '../../helpers/cluster.ts';
import { each } from '../../helpers/each.ts';
import { until } from '../../helpers/until.ts';
import { buildLogChecker } from '../../interop/log-checker.ts';
import { callOf, soak, type Load, type Sent, type Told } from './load.ts';

/** What became of the calls of a load. */
export interface Figures {
  readonly runs: number;
  /** How the runs ended, and what the calls without an answer were told when they were repeated. */
  readonly ended: Readonly<Record<string, number>>;
  /** Runs that are not there any more, or lack their mail. */
  readonly lost: readonly string[];
  /** Mails that came twice, and keys that had two runs. */
  readonly doubled: readonly string[];
  /** Runs that ended without a receipt that verifies. */
  readonly unreceipted: readonly string[];
  /** Mails for which no run answers. */
  readonly unaccounted: readonly string[];
}

interface Verdict {
  readonly token: string;
  readonly run_id?: string;
  readonly ended: string;
  readonly fault?: 'lost' | 'unreceipted';
  /** How many mails it may have sent. */
  readonly mails: readonly number[];
}

const mayHaveSent: Readonly<Record<string, readonly number[]>> = { completed: [1], indeterminate: [0, 1] };

/** Asks every run and repeats every call without an answer, on one node; answers what became of them. */
export async function settle(cluster: Cluster, node: ClusterNode, loads: readonly Load[]): Promise<Figures> {
  const told = loads.flatMap((load) => load.told);
  const known = new Set(told.map(({ token }) => token));
  const open = new Map(loads.flatMap((load) => load.open).map((sent) => [sent.token, sent]));
  const asked = [...open.values()].filter(({ token }) => !known.has(token));
  const verdicts = [
    ...(await each(told, (run) => verdictOf(cluster, node, run))),
    ...(await each(asked, (sent) => repeated(cluster, node, sent))),
  ];
  return figuresOf(verdicts, subjectsOf(cluster, loads));
}

/** Throws unless nothing was lost, doubled or left without a receipt, and each mail has its run. */
export function expectWhole({ doubled, lost, unaccounted, unreceipted, ...rest }: Figures, what: string): void {
  const faults = { lost, doubled, unreceipted, unaccounted };
  const counts = Object.entries(faults).map(([name, tokens]) => `${tokens.length} ${name}`);
  console.log(`      ${what}: ${rest.runs} runs ${JSON.stringify(rest.ended)}, ${counts.join(', ')}`);
  expect(faults).to.deep.equal({ lost: [], doubled: [], unreceipted: [], unaccounted: [] });
}

async function verdictOf(
  cluster: Cluster,
  node: ClusterNode,
  { completed, kind, run_id, token }: Told,
): Promise<Verdict> {
  const { body, status } = await until(
    () => cluster.call<ShownRun>(node, 'GET', `/runs/${run_id}?wait=20`),
    (found) => found.status === 404 || (found.status === 200 && !/^(queued|running)$/.test(found.body.status)),
    `the end of ${run_id}`,
  );
  const ended = { token, run_id, ended: body.status };
  const mails = kind === 'echo' ? [0] : (mayHaveSent[body.status] ?? [0]);
  if (status === 404 || (completed && body.status !== 'completed')) return { ...ended, fault: 'lost', mails: [0, 1] };
  return (await verifies(cluster, node, body)) ? { ...ended, mails } : { ...ended, fault: 'unreceipted', mails };
}

async function verifies(cluster: Cluster, node: ClusterNode, run: ShownRun): Promise<boolean> {
  const path = `/receipts/${run.receipt_id ?? ''}`;
  const { body, status } = await until(
    () => cluster.call<{ signature_valid?: boolean }>(node, 'GET', path),
    (found) => found.status < 500,
    path,
  );
  return status === 200 && body.signature_valid === true;
}

type Repeated = ShownRun & { readonly code?: string; readonly receipt?: { readonly receipt_id: string } };

async function repeated(cluster: Cluster, node: ClusterNode, sent: Sent): Promise<Verdict> {
  const { body, status } = (await until(
    () => callOf(cluster, node, sent),
    // Somebody works on it still, or cannot say.
    ({ body: { code }, status: found }: Answered<Repeated>) =>
      found !== 0 && found !== 409 && !/^(storage_unavailable|overloaded)$/.test(code ?? ''),
    `the key of ${sent.token}`,
  )) as Answered<Repeated>;
  const told = { ...sent, run_id: body.run_id, completed: status === 200 };
  if (status === 200 || status === 202) return { ...(await verdictOf(cluster, node, told)), ended: `again ${status}` };
  const mails = sent.kind === 'echo' ? [0] : body.code === 'outcome_unknown' ? [0, 1] : [0];
  const ended = { token: sent.token, ended: `again ${status} ${body.code}`, mails };
  if (body.receipt === undefined) return { ...ended, fault: 'unreceipted' };
  const run = { ...body, receipt_id: body.receipt.receipt_id };
  return (await verifies(cluster, node, run)) ? ended : { ...ended, fault: 'unreceipted' };
}

function figuresOf(verdicts: readonly Verdict[], mails: ReadonlyMap<string, number>): Figures {
  const ended: Record<string, number> = {};
  for (const verdict of verdicts) ended[verdict.ended] = (ended[verdict.ended] ?? 0) + 1;
  const byToken = Map.groupBy(verdicts, ({ token }) => token);
  const of = (fault: Verdict['fault']): string[] =>
    verdicts.filter((verdict) => verdict.fault === fault).map(({ token, ended: how }) => `${token} ${how}`);
  const sent = (token: string): number => mails.get(token) ?? 0;
  const lacking = verdicts.filter((verdict) => !verdict.mails.includes(0) && sent(verdict.token) === 0);
  const extra = [...mails].filter(([token]) => !(byToken.get(token)?.every((one) => one.mails.includes(1)) ?? false));
  const twoRuns = [...byToken].filter(([, all]) => new Set(all.flatMap(({ run_id = [] }) => run_id)).size > 1);
  return {
    ...{ runs: verdicts.length, ended, unreceipted: of('unreceipted') },
    lost: [...of('lost'), ...lacking.map(({ token }) => `${token} without its mail`)],
    doubled: [...[...mails].filter(([, count]) => count > 1), ...twoRuns].map(([token]) => token),
    unaccounted: extra.map(([token]) => token),
  };
}

function subjectsOf({ smtp }: Cluster, loads: readonly Load[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { raw } of smtp.messages) {
    const token = /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '';
    const isOurs = loads.some(({ prefix }) => token.replace(/\d+$/, '') === prefix);
    if (isOurs) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
}

interface Shard {
  readonly shard: string;
  readonly origin: string;
  readonly size: number;
  readonly status: string;
}

/** Throws unless every shard is whole and linked, by our own check and by Go's, and the ledger is the same on all nodes. */
export async function expectSound(cluster: Cluster, runs: readonly Load[]): Promise<readonly Shard[]> {
  const all = cluster.nodes.filter((node) => node.up);
  const [first] = all as [ClusterNode];
  // Each command is a process: two nodes differ if any do, but for a fault of one alone.
  const up = soak ? all : all.slice(-2);
  for (const node of up) {
    const { status, stderr, stdout } = await verdictOfCommand(cluster, node, 'log', 'fsck');
    expect(status, `${node.name}: ${stdout}${stderr}`).to.equal(0);
  }
  const { shards } = (await cluster.call<{ shards: readonly Shard[] }>(first, 'GET', '/log/shards')).body;
  await expectProved(
    cluster,
    first,
    runs.flatMap(({ told }) => told),
  );
  await expectReplayed(cluster, up);
  return shards;
}

// Exit 3: the database did not answer in time, which is no verdict. On a busy machine it is asked again.
async function verdictOfCommand(cluster: Cluster, node: ClusterNode, ...words: readonly string[]): Promise<CommandEnd> {
  for (let tries = 1; ; tries++) {
    const end = await cluster.orb(node, ...words);
    if (end.status !== unread || tries === 5) return end;
  }
}

const unread = 3;

/** Lets Go's libraries check, in every shard in which a run has its receipt, the checkpoint, one entry and the growth. */
async function expectProved(cluster: Cluster, node: ClusterNode, told: readonly Told[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-weather-'));
  try {
    const checker = buildLogChecker(folder);
    if (checker === undefined) return;
    const placed = await each(told, async ({ run_id }) => {
      const { receipt_id = '' } = (await cluster.call<ShownRun>(node, 'GET', `/runs/${run_id}`)).body;
      const { status, body } = await cluster.call<Proved>(node, 'GET', `/receipts/${receipt_id}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      const { proof } = body;
      return proof === undefined ? [] : [[proof.origin, receipt_id] as const];
    });
    const proved = new Map(placed.flat());
    for (const [origin, receipt_id] of proved) {
      for (let tries = 0; ; tries++) {
        const input = await checkedOf(cluster, node, receipt_id);
        // An entry that was added meanwhile makes two of the answers differ.
        if (input !== undefined) {
          execFileSync(checker, { input: JSON.stringify(input) });
          break;
        }
        expect(tries, `the checkpoint of ${origin} rests`).to.be.lessThan(50);
        await delay(100);
      }
    }
    expect(proved.size).to.be.greaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Proved {
  readonly proof?: { readonly origin: string; readonly leaf: string; readonly tree_size: number };
}

async function checkedOf(cluster: Cluster, node: ClusterNode, receiptId: string): Promise<object | undefined> {
  const text = async (path: string): Promise<string> =>
    (await fetch(node.url + path, { headers: auth(cluster) })).text();
  const { proof } = JSON.parse(await text(`/receipts/${receiptId}`)) as Required<Proved>;
  const base = `/log/${proof.origin.split('/').at(-1)}`;
  const checkpoint = await text(`${base}/checkpoint`);
  const proof_file = await text(`/receipts/${receiptId}?format=tlog-proof`);
  if (!proof_file.endsWith(`\n\n${checkpoint}`) || !checkpoint.includes(`\n${proof.tree_size}\n`)) return undefined;
  const growth = `${base}/proof/consistency?from=1&to=${proof.tree_size}`;
  return {
    ...{ vkey: await text(`${base}/vkey`), checkpoint, proof_file, entry: proof.leaf },
    consistency: JSON.parse(await text(growth)) as object,
  };
}

const auth = ({ key }: Cluster) => ({ authorization: `Bearer ${key}` });

interface Replayed {
  readonly equal: boolean;
  readonly snapshots: readonly { readonly day: string; readonly digest: string }[];
}

async function expectReplayed(cluster: Cluster, nodes: readonly ClusterNode[]): Promise<void> {
  const all: Replayed[] = [];
  for (const node of nodes) {
    const { status, stderr, stdout } = await verdictOfCommand(cluster, node, 'ledger', 'replay', '--json');
    expect(status, `${node.name}: ${stdout}${stderr}`).to.equal(0);
    all.push(JSON.parse(stdout) as Replayed);
  }
  for (const { snapshots } of all) expect(snapshots).to.deep.equal(all[0]?.snapshots);
}
