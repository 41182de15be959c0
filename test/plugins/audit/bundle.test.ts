import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Trust } from '../../../plugins/receipts/verifier/trust.ts';
import { runCommand, shippedCommand } from '../../helpers/command.ts';
import { until } from '../../helpers/until.ts';
import { startApproving, type Approving } from '../approvals/started.ts';
import { contentOf, filesOf, trustOf, verified } from './archived.ts';

describe('an archive of evidence', function () {
  this.timeout(120_000);
  let office: Approving;
  let archive: Buffer;
  let trust: Trust;
  let keys: object;
  let approved: string;
  const from = '2026-11-23T00:00:00Z';

  const get = async (query: string, key?: string) => {
    const headers = { authorization: `Bearer ${key ?? office.adminKey()}` };
    const answer = await fetch(`${office.url()}/audit/export?${query}`, { headers });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
  };

  before(async () => {
    office = await startApproving();
    const { body } = await office.execute({ text: 'hello' });
    await office.decide(body.approval.id, 'ada');
    approved = body.run_id;
    await until(
      async () => (await office.call('GET', `/runs/${approved}`)).body,
      ({ status }) => status === 'completed',
      'the run',
    );
    await office.execute({ text: 'x' }, { hold: 'refuse' });
    office.clock.set('2026-11-23T12:00:00Z');
    const answer = await get(`from=${from}`);
    expect(answer.status).to.equal(200);
    archive = answer.bytes;
    keys = (await office.call('GET', '/.well-known/jwks.json', undefined, null)).body;
    trust = trustOf(keys);
  });
  after(() => office.stop());

  it('has a cover, receipts, decisions, approvals, incidents, manifests and keys, and verifies in parts of any size', async () => {
    const paths = filesOf(archive).map(({ path }) => path);
    expect(paths[0]).to.equal('README.md');
    expect(paths).to.include.members(['verify.html', 'export/export.json', 'export/HOWTO.md', 'export/jwks.json']);
    expect(paths).to.include.members(['export/log/0/checkpoint', 'approvals/000000.jsonl', 'incidents/000000.jsonl']);
    expect(paths.slice(-2)).to.deep.equal(['manifest.json', 'manifest.dsse.json']);
    expect(paths.some((path) => path.startsWith('manifests/'))).to.equal(true);
    for (const size of [1, 511, 512, 1_000_000].slice(1)) {
      const report = await verified(archive, trust, size);
      expect([report.fault, report.overall, report.exit]).to.deep.equal([undefined, 'VERIFIED', 0]);
      expect(report.checks).to.deep.include({ name: 'approval_matches', result: 'pass' });
      expect(report.bundle?.from).to.equal('2026-11-23T00:00:00.000Z');
      expect(report.bundle?.to).to.match(/^2026-11-23T12:00:00/);
      expect(report.verified).to.equal(report.receipts).and.to.be.greaterThan(3);
    }
  });

  it('shows who was asked and who decided, without the words of people', () => {
    const records = contentOf(archive, 'approvals/000000.jsonl').trim().split('\n');
    const record = records.map((line) => JSON.parse(line)).find(({ run_id }) => run_id === approved);
    expect(record).to.include({ state: 'approved', tenant: 'default' });
    expect(record.decisions).to.have.length(1);
    expect(record.decisions[0]).to.include({ principal: office.ids.ada, decision: 'approve', auth: 'key' });
    expect(record.decisions[0]).not.to.have.property('comment');
  });

  // AUDIT_EDITS=1000 makes a soak of it.
  it('is refused after any edit, cut or swap of its bytes', async () => {
    const files = filesOf(archive);
    const count = Number(process.env['AUDIT_EDITS'] ?? 100);
    const random = randomOf(20_261_128);
    const any = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    const part = ({ at, whole }: (typeof files)[number]) => archive.subarray(at, at + whole);
    const joined = (list: typeof files) => Buffer.concat([...list.map(part), archive.subarray(-1024)]);
    const changes: Readonly<Record<string, () => Buffer>> = {
      edit() {
        const changed = Buffer.from(archive);
        const at = random(changed.length);
        changed[at] = (changed[at] ?? 0) ^ (1 + random(255));
        return changed;
      },
      cut: () => archive.subarray(0, random(archive.length)),
      'cut out': () => {
        const gone = any(files);
        return joined(files.filter((file) => file !== gone));
      },
      swap() {
        const [one, other] = [random(files.length), random(files.length - 1)];
        const swapped = [...files];
        const second = other === one ? files.length - 1 : other;
        [swapped[one], swapped[second]] = [
          files[second] as (typeof files)[number],
          files[one] as (typeof files)[number],
        ];
        return joined(swapped);
      },
      twice: () => {
        const again = any(files);
        return joined(files.flatMap((file) => (file === again ? [file, file] : [file])));
      },
      append: () => Buffer.concat([archive, Buffer.alloc(1 + random(1024), random(2))]),
    };
    const kinds = Object.keys(changes);
    for (let round = 0; round < count; round++) {
      const kind = kinds[round % kinds.length] ?? '';
      const changed = changes[kind]?.() ?? archive;
      if (changed.equals(archive)) continue;
      const { overall, exit, fault } = await verified(changed, trust);
      expect([overall, exit === 0], `${kind} ${round}: ${fault}`).to.deep.equal(['REJECTED', false]);
    }
  });

  it('is refused with a signature of another key, and without the key', async () => {
    const none = await verified(archive, { ...trust, keys: [] });
    expect([none.overall, none.exit]).to.deep.equal(['REJECTED', 4]);
    const revoked = { ...trust, keys: trust.keys.map((key) => ({ ...key, revoked: true })) };
    expect((await verified(archive, revoked)).fault).to.include('revoked');
  });

  it('is saved and verified by the commands', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'orb-audit-'));
    const [file, out] = [join(dir, 'keys.json'), join(dir, 'evidence.tar')];
    writeFileSync(file, JSON.stringify(keys));
    const download = async (path: string) =>
      (await fetch(office.url() + path, { headers: { authorization: `Bearer ${office.adminKey()}` } })).body as never;
    const client = () => ({ download }) as never;
    const saved = await runCommand(shippedCommand('audit export'), dir, [], { client, options: { from, out } });
    expect(saved.exit, saved.notes.join()).to.equal(0);
    const options = { keys: file };
    const shown = await runCommand(shippedCommand('audit verify'), dir, [out], { options });
    expect(shown.exit, shown.text).to.equal(0);
    expect(shown.text).to.match(/^evidence of ins_\w+, all tenants, from 2026-11-23/m);
    expect(shown.text.split('\n').at(-1)).to.equal('VERIFIED');
    const gone = await runCommand(shippedCommand('audit verify'), dir, [join(dir, 'none')], { options });
    expect([gone.exit, gone.notes.join()]).to.satisfy(
      ([exit, note]: [number, string]) => exit === 3 && note.includes('none'),
    );
    const unasked = await runCommand(shippedCommand('audit export'), dir, [], { client, options: { out } });
    expect(unasked.exit).to.equal(2);
    rmSync(dir, { recursive: true });
  });

  it('is checked by the foreign tools of its cover, as the cover says', () => {
    const dir = mkdtempSync(join(tmpdir(), 'orb-audit-'));
    mkdirSync(join(dir, 'out'));
    writeFileSync(join(dir, 'evidence.tar'), archive);
    execFileSync('tar', ['-xf', join(dir, 'evidence.tar'), '-C', join(dir, 'out')]);
    writeFileSync(join(dir, 'out', 'PINNED-jwks.json'), JSON.stringify(keys));
    const section = contentOf(archive, 'README.md')
      .split('## With sha256sum, jq and openssl')[1]
      ?.split('A file that')[0];
    const script = (section ?? '').replaceAll(/^ {4}/gm, '');
    const said = execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: join(dir, 'out'), encoding: 'utf8' });
    expect(said).to.include('Signature Verified Successfully');
    rmSync(dir, { recursive: true });
  });

  it('shows a key of a tenant nothing of another, nor of the installation', async () => {
    const { body: other } = await office.call('POST', '/keys', {
      ...{ name: 'other', tenant: 'elsewhere', scopes: ['audit:export', 'receipts:read'] },
    });
    const own = await get(`from=${from}`, String(other.key));
    expect(own.status).to.equal(200);
    const paths = filesOf(own.bytes).map(({ path }) => path);
    expect(paths.filter((path) => /receipts\/|policies\/|incidents\//.test(path))).to.deep.equal([]);
    expect(contentOf(own.bytes, 'approvals/000000.jsonl')).to.equal('');
    const report = await verified(own.bytes, trust);
    expect([report.overall, report.exit]).to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
    expect(report.bundle?.tenant).to.equal('elsewhere');
    expect(report.limits.join()).to.include('incidents/ is left out').and.include('policies/ is left out');
    const foreign = await get(`from=${from}&tenant=default`, String(other.key));
    expect(foreign.status).to.equal(403);
    expect((await get(`from=${from}`, office.keys.ada)).status).to.equal(403);
    const picked = await get(`from=${from}&tenant=elsewhere`);
    expect(filesOf(picked.bytes).filter(({ path }) => path.startsWith('export/receipts/'))).to.deep.equal([]);
  });

  for (const query of ['', 'from=x', 'from=2027-01-01T00:00:00Z', `from=${from}&to=${from}`])
    it(`refuses the time "${query}"`, async () => {
      expect((await get(query)).status).to.equal(400);
    });
});

// A generator of the same numbers for the same seed.
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
