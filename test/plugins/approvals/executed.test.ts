import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonical, digest, type Client } from '../../../kernel/index.ts';
import { commitTo } from '../../../plugins/approvals/bound.ts';
import { getCommand } from '../../../plugins/receipts/commands/get.ts';
import { verifyCommand } from '../../../plugins/receipts/commands/verify.ts';
import { runCommand } from '../../helpers/command.ts';
import { until } from '../../helpers/until.ts';
import { hostileCalls, keeper, type HostileCall } from './hostile-orbs.ts';
import { digestIn, inputsOn } from './mailing.ts';
import { startApproving, type Approving } from './started.ts';

// APPROVAL_CALLS=1000 makes a soak of it.
const count = Number(process.env['APPROVAL_CALLS'] ?? 12);
const seed = 20_261_128;

describe(`what people are shown of ${count} random calls with characters that deceive`, function () {
  this.timeout(60_000 + count * 1000);
  const { adapter, kept } = keeper();
  const calls = hostileCalls(count, seed);
  const dir = mkdtempSync(join(tmpdir(), 'orb-same-'));
  let office: Approving;
  before(async () => {
    office = await startApproving(
      {},
      {
        adapters: [adapter],
        data: {
          // The salts of the commitments are kept with the inputs, so that the receipt can be compared with them.
          'orbisets/same.json': { id: 'same', tenant: 'default', orbs: ['same.*'], retention_days: { inputs: 1 } },
          ...Object.fromEntries(calls.map(({ orb_id, manifest }) => [`orbs/${orb_id}.json`, manifest])),
        },
        settings: { providers: { keep: { adapter: 'keep/local' } } },
      },
    );
    const keys = (await office.call('GET', '/.well-known/jwks.json', undefined, null)).body;
    writeFileSync(join(dir, 'jwks.json'), JSON.stringify(keys));
  });
  after(async () => {
    await office?.stop();
    rmSync(dir, { recursive: true });
  });

  const held = async ({ orb_id, inputs }: HostileCall) => {
    const { status, body } = await office.call(
      ...(['POST', '/orbisets/same/execute', { orb_id, inputs }, office.keys.agent] as const),
    );
    expect(status, JSON.stringify(body)).to.equal(202);
    return body as { run_id: string; approval: { id: string } };
  };

  // As a browser does, by the page alone.
  const onPage = async (id: string, form?: Readonly<Record<string, string>>): Promise<string> => {
    const answer = await fetch(`${office.url()}/approvals/${id}/page`, {
      headers: {
        ...{ accept: 'text/html', authorization: `Bearer ${office.keys.ada}`, 'sec-fetch-site': 'same-origin' },
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    expect(answer.status).to.equal(200);
    return answer.text();
  };

  const ended = (id: string) =>
    until(
      async () => (await office.call('GET', `/runs/${id}`)).body,
      ({ status }) => !['queued', 'held', 'running'].includes(status as string),
      `the end of ${id}`,
    );

  // Saves the receipt as a person does, with the inputs and their salt, and verifies it without the server.
  const offline = async (receipt_id: string, disclosed: object): Promise<string> => {
    const request = async (method: string, path: string) => (await office.call(method, path)).body as never;
    const client = () => ({ request }) as unknown as Client;
    const { text } = await runCommand(getCommand, dir, [receipt_id], { client });
    const file = join(dir, 'receipt.json');
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(text) as object), disclosed }));
    return (await runCommand(verifyCommand, dir, [file])).text;
  };

  it('is what they approve, what the provider gets, and what the receipt commits to, byte for byte', async () => {
    for (const [at, call] of calls.entries()) {
      const what = `call ${at} of seed ${seed}`;
      const sent = canonical(call.inputs);
      const { run_id, approval } = await held(call);
      const { body: shown } = await office.call('GET', `/approvals/${approval.id}`, undefined, office.keys.ada);
      expect(canonical(shown.inputs), what).to.equal(sent);
      const page = await onPage(approval.id);
      expect(canonical(JSON.parse(inputsOn(page))), what).to.equal(sent);
      // What was shown is what the digest covers, and one decision in two is made on the page.
      expect(digest(canonical(shown.bound)), what).to.equal(shown.digest);
      expect(digestIn(page), what).to.equal(shown.digest);
      const decision = { decision: 'approve', digest: shown.digest };
      if (at % 2 === 0) await onPage(approval.id, decision);
      else
        expect(
          (await office.call('POST', `/approvals/${approval.id}/decision`, decision, office.keys.ada)).status,
        ).to.equal(200);
      const { receipt_id, status } = await ended(run_id);
      expect([status, kept.length], what).to.deep.equal(['completed', at + 1]);
      expect(kept[at], what).to.equal(sent);
      const { body: receipt } = await office.call('GET', `/receipts/${receipt_id}?disclose=inputs`);
      const { facts } = receipt.statement.predicate;
      expect(facts.approval, what).to.include({ approval_id: approval.id, digest: shown.digest });
      expect(facts.inputs, what).to.deep.equal(shown.bound.inputs);
      const { salt, value } = receipt.disclosed.inputs;
      expect(canonical(value), what).to.equal(sent);
      expect(commitTo(sent, salt).commitment, what).to.equal(facts.inputs.commitment);
      expect(receipt.checks, what).to.deep.include({ name: 'approval_matches', result: 'pass' });
      const verdict = await offline(receipt_id, receipt.disclosed);
      expect(verdict, what).to.match(/^disclosure_matches_commitment +pass: inputs$/m);
      expect(verdict, what).to.match(
        /^approval_matches +pass: approved by prn_\w+ \(office\) for exactly these inputs$/m,
      );
      expect(verdict.split('\n').at(-1), what).to.equal('VERIFIED');
    }
  });
});
