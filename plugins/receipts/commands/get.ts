import { defineCommand, type Client, type CommandCall } from '../../../kernel/index.ts';
import { encodeBase64 } from '../format/base64.ts';
import type { Checkpoint } from '../log/pure/note.ts';
import { keepFetched, readSeen } from '../verifier/trust-store/seen-file.ts';
import { shardOf } from '../verifier/position.ts';
import { isRecord } from '../format/strict-json.ts';
import { claimedDecisions } from '../verifier/approval.ts';
import { claimedCheckpoint } from '../verifier/verify.ts';

/** `orb receipts get [receipt_id]`: prints the receipt as the server answers it, to be saved and verified offline. */
export const getCommand = defineCommand({
  path: 'receipts get',
  summary: 'print a receipt with its proof, as JSON',
  args: [
    { name: 'receipt_id', description: '`rec_…`, from the answer of the run; default: the newest run', optional: true },
  ],
  async run(call) {
    const { args, client, note, print } = call;
    const id = args[0] ?? (await newest(client()));
    if (id === undefined) {
      note('there is no run with a receipt yet; execute an Orb first');
      return 1;
    }
    const receipt = await client().request('GET', `/receipts/${encodeURIComponent(id)}`);
    const grown = isRecord(receipt) ? await proofsOfGrowth(JSON.stringify(receipt), call) : [];
    const decisions = await decisionsOn(receipt, call);
    const more = { ...(grown.length > 0 && { consistency: grown }), ...(decisions.length > 0 && { decisions }) };
    const saved = isRecord(receipt) && Object.keys(more).length > 0 ? { ...receipt, ...more } : receipt;
    print(saved, JSON.stringify(saved, undefined, 2));
    return 0;
  },
});

type Runs = { readonly runs: readonly { readonly receipt_id?: string }[] };

/** Finds the receipt of the newest run that the caller may see. */
async function newest(client: Client): Promise<string | undefined> {
  const { runs } = await client.request<Runs>('GET', '/runs?limit=20');
  return runs.find(({ receipt_id }) => receipt_id !== undefined)?.receipt_id;
}

/**
 * Fetches the proofs that the tree of this receipt extends the remembered tree and the trees of receipts fetched
 * before. The verifier checks the proofs; a missing proof becomes a limit of the report.
 */
async function proofsOfGrowth(receipt: string, { client, note, stateDir }: CommandCall): Promise<object[]> {
  const shown = claimedCheckpoint(receipt);
  if (shown === undefined) return [];
  const known = (await readSeen(stateDir)).get(shown.origin);
  const newest = known?.trees.at(-1);
  if (newest !== undefined && newest.size > shown.size)
    note(`the log shows ${shown.size} entries, but ${newest.size} were seen before; run \`orb log fsck\` for details`);
  const trees = [...(newest === undefined ? [] : [newest]), ...(known?.fetched ?? [])];
  const smaller = trees.filter(({ size }) => size < shown.size);
  const proofs = await Promise.all(smaller.map((tree) => proofFrom(tree, shown, client())));
  await keepFetched(stateDir, shown);
  return proofs.filter((proof) => proof !== undefined);
}

async function proofFrom(from: Checkpoint, { origin, size }: Checkpoint, client: Client): Promise<object | undefined> {
  if (from.size === 0n) return undefined;
  const shard = encodeURIComponent(shardOf(origin));
  const path = `/log/${shard}/proof/consistency?from=${from.size}&to=${size}`;
  const answer = await client.request('GET', path).catch(() => undefined);
  if (!isRecord(answer) || !Array.isArray(answer['hashes'])) return undefined;
  return { from: Number(from.size), root: encodeBase64(from.root), hashes: answer['hashes'] as readonly unknown[] };
}

/**
 * Fetches the receipts of the decisions on a run that people were asked about, if possible as entries of the same tree as
 * the run. One that cannot be read is left out: the verifier then says that it is not at hand.
 */
async function decisionsOn(receipt: unknown, { client, note }: CommandCall): Promise<object[]> {
  const decisions: object[] = [];
  for (const id of claimedDecisions(receipt)) {
    const path = `/receipts/${encodeURIComponent(id)}`;
    const decision = await client()
      .request('GET', path)
      .catch(({ message }: Error) => note(`the decision ${id} could not be read: ${message}`));
    if (isRecord(decision)) decisions.push({ ...decision, ...(await inTreeOf(receipt, decision, path, client())) });
  }
  return decisions;
}

async function inTreeOf(receipt: unknown, decision: unknown, path: string, client: Client): Promise<object> {
  const [tree, own] = [receipt, decision].map((one) => (isRecord(one) && isRecord(one['proof']) ? one['proof'] : {}));
  const size = tree?.['tree_size'];
  if (typeof size !== 'number' || tree?.['origin'] !== own?.['origin'] || size === own?.['tree_size']) return {};
  const proof = await client.request('GET', `${path}/proof?size=${size}`).catch(() => undefined);
  if (!isRecord(proof)) return {};
  return { proof: { ...own, tree_size: size, hashes: proof['hashes'], checkpoint: tree?.['checkpoint'] } };
}
