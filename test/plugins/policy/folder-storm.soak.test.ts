import { expect } from 'chai';
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compilerOrSkip } from './compiler.ts';
import { seeded } from './generated.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';

const edits = process.env['POLICY_SOAK'] === '1' ? 1000 : 50;
const seed = Number(process.env['POLICY_SEED'] ?? 7);

const guard = `package orb.policies.guard

deny contains "forbidden" if {
	input.action.name == "execute"
	input.context.inputs.text == "forbidden"
}
`;
const harmless = (name: string): string => `package orb.policies.${name}

warn contains "seen" if input.action.name == "publish"
`;

describe(`${edits} random edits of the policies folder under load`, () => {
  let home: PolicyHome;
  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome({ 'guard.rego': guard });
  });
  after(() => home?.platform.stop());

  it('never allow what is forbidden, answer no 5xx but policy_unavailable, and leave a platform that recovers', async function () {
    this.timeout(edits * 2000 + 30_000);
    let running = true;
    const seen = new Map<string, number>();
    // Denied runs are limited to 10/s per key: each load has its own, and the one that is denied keeps below.
    const load = async (text: string, pauseMs: number): Promise<void> => {
      const key = await home.platform.key({ name: text, scopes: ['orbs:execute'] });
      while (running) {
        const { status, body } = await home.echo(key, { text });
        const answer = `${text} ${status} ${status === 200 ? '' : body.code}`.trim();
        seen.set(answer, (seen.get(answer) ?? 0) + 1);
        await delay(pauseMs);
      }
    };
    const loads = Promise.all([load('forbidden', 110), load('fine', 5)]);
    const random = seeded(seed);
    for (let edit = 0; edit < edits; edit += 1) {
      await change(home, random);
      await delay(random(400));
    }
    for (const name of junkIn(home.folder)) rmSync(join(home.folder, name), { force: true, recursive: true });
    home.write('guard.rego', guard);
    home.write('data.json', '{}');
    await home.until('recovered', ({ health, policies }) => health === 'operational' && policies === 4);
    running = false;
    await loads;
    console.log(`      ${JSON.stringify(Object.fromEntries(seen))}`);
    const allowed = [
      'forbidden 403 access_denied',
      'forbidden 503 policy_unavailable',
      'fine 200',
      'fine 503 policy_unavailable',
    ];
    expect([...seen.keys()].filter((answer) => !allowed.includes(answer))).to.deep.equal([]);
    expect(seen.get('forbidden 403 access_denied')).to.be.above(edits);
    expect(seen.get('fine 200')).to.be.above(edits);
  });
});

const shippedNames = /^(execute_by_scope|swap_healthy|publish_owned)(_test)?\.rego$|^README\.md$/;

function junkIn(folder: string): string[] {
  return readdirSync(folder).filter(
    (name) => !shippedNames.test(name) && name !== 'guard.rego' && name !== 'data.json',
  );
}

type Change = (home: PolicyHome, random: (bound: number) => number) => Promise<void> | void;

// The guard is never taken away: torn, broken and emptied, but not validly without its rule.
const changes: readonly Change[] = [
  async (home, random) => {
    home.write('guard.rego', guard.slice(0, random(guard.length)));
    await delay(random(60));
    home.write('guard.rego', guard);
  },
  (home) => home.write('guard.rego', ''),
  (home) => home.write('guard.rego', `${guard}\nbroken if {`),
  (home) => home.write('guard.rego', guard),
  (home, random) => home.write(`p${random(5)}.rego`, harmless(`p${random(5)}`)),
  (home, random) => home.write(`p${random(5)}.rego`, 'package orb.policies.broken\n\nallow if\n'),
  (home, random) => {
    const [name] = junkIn(home.folder).slice(random(3));
    if (name !== undefined) rmSync(join(home.folder, name), { force: true });
  },
  (home, random) => {
    const from = join(home.folder, `p${random(5)}.rego`);
    if (existsSync(from)) renameSync(from, join(home.folder, `q${random(5)}.rego`));
  },
  (home, random) => link(home, '/etc/passwd', `l${random(3)}.rego`),
  (home, random) => link(home, join(home.folder, 'guard.rego'), `l${random(3)}.rego`),
  (home, random) => link(home, join(home.folder, 'nothing'), `l${random(3)}.rego`),
  (home) => home.write('data.json', '{"orb": {"policies": {"x": {"allow": true}}}}'),
  (home) => home.write('data.json', '{"lists": {"providers": '),
  (home) => home.write('data.json', '{}'),
  (home) => home.write('big.rego', `package big\n${'# x\n'.repeat(80_000)}`),
  (home) => home.write('bytes.rego', new Uint8Array([0xff, 0xfe, 0x00])),
  (home) => home.write('.hidden.rego', 'package orb.policies.hidden\n\nallow if true\n'),
];

function link(home: PolicyHome, to: string, name: string): void {
  const path = join(home.folder, name);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(to, path);
}

async function change(home: PolicyHome, random: (bound: number) => number): Promise<void> {
  await changes[random(changes.length)]?.(home, random);
}
