import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { version } from '../kernel/tools/version.ts';
import {
  program,
  providers,
  startCommandLine,
  type CommandLine,
  type Ended,
  type Given,
  type Run,
} from './helpers/command-line.ts';

describe('the commands of orb', () => {
  let line: CommandLine;
  const run = (args: readonly string[], given?: Partial<Given>): Ended => line.run(args, given);
  const orb = (...args: readonly string[]): string => line.orb(...args);
  const json = <T>(...args: readonly string[]): T => line.json<T>(...args);
  const file = (name: string, content: unknown): string => line.file(name, content);

  before(async () => void (line = await startCommandLine()));
  after(() => line.served.remove());

  it('run: executes an Orb and shows run, outputs and receipt', () => {
    const text = orb('run', 'demo.echo@1.0.0', '{"text":"hello"}');
    expect(text)
      .to.match(/^run_\w+ completed in \d+ ms\n/)
      .and.match(/^outputs {2}\{"text":"hello"\}$/m);
    expect(text).to.match(/^receipt {2}rec_\w+ {2}trust \d+ {2}risk \w+$/m);
    expect(json<Run>('run', 'demo.echo@1.0.0', '{"text":"hello"}').outputs).to.deep.equal({ text: 'hello' });
  });

  it('receipts erase: erases what is kept of a run, once a person has confirmed it', () => {
    const { receipt_id: id } = json<Run>('run', 'demo.echo@1.0.0', '{"text":"hello"}').receipt;
    expect(run(['receipts', 'erase', id]).status).to.equal(64);
    expect(orb('receipts', 'erase', id, '--yes')).to.equal(`${id}: 0 values are erased\n`);
  });

  it('run: takes inputs from a file and from standard input', () => {
    const inputs = file('inputs.json', { text: 'from a file' });
    expect(json<Run>('run', 'demo.echo@1.0.0', `@${inputs}`).outputs).to.deep.equal({ text: 'from a file' });
    const { stdout } = run(['run', 'demo.echo@1.0.0', '-', '--json'], { input: '{"text":"from a pipe"}' });
    expect((JSON.parse(stdout) as Run).outputs).to.deep.equal({ text: 'from a pipe' });
  });

  for (const [code, ...args] of [
    ['orb_not_found', 'demo.nobody@1.0.0', '{}'],
    ['orbiset_not_found', 'demo.echo@1.0.0', '{"text":"x"}', '--orbiset', 'nowhere'],
    ['invalid_inputs', 'demo.echo@1.0.0', '{"color":1}'],
    ['invalid_body', 'demo.echo@1.0.0', '{"text":"x"}', '--timeout', '0'],
  ] as const)
    it(`run: tells the problem ${code} in one line, with --json its body too, and ends with 1`, () => {
      const { status, stdout, stderr } = run(['run', ...args]);
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(new RegExp(`^orb: .+ \\(${code}, request req_\\w{26}\\)\n$`));
      const whole = run(['run', ...args, '--json']);
      expect([whole.status, whole.stdout]).to.deep.equal([1, '']);
      expect(whole.stderr).to.match(/^orb: .+\n\{\n/);
      expect(JSON.parse(whole.stderr.slice(whole.stderr.indexOf('{\n')))).to.include({ code });
    });

  it('run: names each fault of the inputs in its one line', () => {
    const { stderr } = run(['run', 'demo.echo@1.0.0', '{"color":1}']);
    expect(stderr)
      .to.match(/^orb: .*#\/inputs\/text is required.*\n$/)
      .and.include('#/inputs/color ');
  });

  it('run: gives the same answer for the same idempotency key, without a second run', () => {
    const once = (text: string) =>
      run(['run', 'demo.echo@1.0.0', JSON.stringify({ text }), '--idempotency-key', 'order-7', '--json']);
    const [first, second] = [once('hello'), once('hello')].map(({ stdout }) => JSON.parse(stdout) as object);
    expect(first).to.deep.equal(second);
    expect(once('other').stderr).to.include('(idempotency_mismatch, ');
  });

  it('runs list and runs show: list runs, newest first and as they are asked for, and show one', () => {
    const { run_id } = json<{ run_id: string }>('run', 'demo.echo@1.0.0', '{"text":"hello"}');
    const [head, first] = orb('runs', 'list').split('\n');
    expect(head).to.match(/^RUN_ID +ORB +STATUS +/);
    expect(first).to.match(new RegExp(`^${run_id} +demo\\.echo@1\\.0\\.0 +completed +\\w+ +echo +`));
    expect(json<{ runs: object[] }>('runs', 'list', '--status', 'denied').runs).to.deep.equal([]);
    expect(orb('runs', 'list', '--status', 'denied')).to.equal('none\n');
    expect(orb('runs', 'show', run_id))
      .to.match(new RegExp(`^run_id +${run_id}$`, 'm'))
      .and.match(/^status +completed$/m);
    expect(json<object>('runs', 'show', run_id)).to.include({ run_id, status: 'completed' });
  });

  it('runs list and receipts list: say how to go on when there are more', () => {
    for (let more = 0; more < 2; more++) orb('run', 'demo.echo@1.0.0', '{"text":"hello"}');
    for (const list of ['runs', 'receipts']) {
      const { stdout, stderr } = run([list, 'list', '--limit', '1']);
      const cursor = /continue with --cursor (\S+)\n$/.exec(stderr)?.[1] ?? '';
      const next = run([list, 'list', '--limit', '1', '--cursor', cursor]);
      expect([next.status, next.stdout.split('\n').length], next.stderr).to.deep.equal([0, 3]);
      expect(next.stdout.split('\n')[1]).not.to.equal(stdout.split('\n')[1]);
    }
  });

  it('runs resolve: refuses a run whose outcome is known, and an outcome that there is not', () => {
    const { run_id } = json<{ run_id: string }>('run', 'demo.echo@1.0.0', '{"text":"hello"}');
    const refused = run(['runs', 'resolve', run_id, 'sent', '--note', 'seen in the inbox', '--yes']);
    expect([refused.status, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.include('(resolution_conflict, ');
    expect(run(['runs', 'resolve', run_id, 'perhaps', '--yes']).stderr).to.include('(invalid_body, ');
  });

  it('receipts list: lists receipts, newest first and as they are asked for', () => {
    const { receipt } = json<Run>('run', 'demo.echo@1.0.0', '{"text":"hello"}');
    const [head, first] = orb('receipts', 'list', '--orb', 'demo.echo@1.0.0').split('\n');
    expect(head).to.match(/^RECEIPT_ID +KIND +TIME +/);
    expect(first).to.match(new RegExp(`^${receipt.receipt_id} +run +\\S+Z +completed +demo\\.echo@1\\.0\\.0 `));
    expect(json<{ receipts: object[] }>('receipts', 'list', '--orbiset', 'none').receipts).to.deep.equal([]);
  });

  it('orbs list and orbs show: show what ships', () => {
    expect(orb('orbs', 'list')).to.match(/^demo\.echo@1\.0\.0 +none +file +Echo$/m);
    const { orbs } = json<{ orbs: { orb_id: string }[] }>('orbs', 'list');
    expect(orbs.map(({ orb_id }) => orb_id)).to.include.members(['demo.echo@1.0.0', 'notify.email@1.0.0']);
    const shown = json<{ manifest: object }>('orbs', 'show', 'notify.email@1.0.0');
    const manifest = readFileSync(join(packageDir, 'data/orbs/notify.email@1.0.0.json'), 'utf8');
    expect(shown.manifest).to.deep.equal(JSON.parse(manifest));
    expect(JSON.parse(orb('orbs', 'show', 'notify.email@1.0.0'))).to.deep.equal(shown);
  });

  it('keys create and keys revoke: make a key that works within its scopes, until it is revoked', () => {
    const { key, key_id } = json<{ key: string; key_id: string }>(
      ...['keys', 'create', '--name', 'reader', '--scope', 'orbs:read', '--scope', 'runs:read'],
    );
    expect(run(['orbs', 'list'], { key }).status).to.equal(0);
    expect(run(['keys', 'list'], { key }).stderr).to.include('(insufficient_scope, ');
    expect(json('keys', 'revoke', key_id, '--yes')).to.deep.equal({ key_id, revoked: true });
    expect(run(['orbs', 'list'], { key }).stderr).to.include('(unauthenticated, ');
    expect(orb('keys', 'list')).to.match(new RegExp(`^${key_id} .*revoked `, 'm'));
  });

  it('keys create: shows the key once, and says so apart from it; keys list never shows it', () => {
    const { stdout, stderr } = run(['keys', 'create', '--scope', 'orbs:read']);
    const key = /^key +(orb_live_\w{38})$/m.exec(stdout)?.[1] ?? '';
    expect(key).not.to.equal('');
    expect(stderr).to.include('not shown again').and.not.include(key);
    expect(orb('keys', 'list', '--json')).not.to.include(key);
  });

  it('keys create: reads the expiry as a date or a span, and says which times it reads', () => {
    const expiry = (time: string) =>
      json<{ expires_at: string }>('keys', 'create', '--scope', 'orbs:read', '--expires', time).expires_at;
    expect(expiry('2099-12-01')).to.match(/^2099-12-01T00:00:00/);
    expect(Date.parse(expiry('30d'))).to.be.greaterThan(Date.parse(expiry('2w')));
    const { status, stderr } = run(['keys', 'create', '--expires', 'soon']);
    expect([status, stderr]).to.deep.equal([
      64,
      "orb: option '--expires <time>' argument 'soon' is invalid. Write a time such as 30d, 2h, 2026-12-01 or 2026-12-01T08:00:00Z\n",
    ]);
  });

  it('receipts get and receipts verify: fetch a receipt and verify it with the server stopped', async () => {
    const { receipt } = json<Run>('run', 'demo.echo@1.0.0', '{"text":"hello"}');
    const text = orb('receipts', 'get', receipt.receipt_id);
    expect(JSON.parse(text)).to.deep.equal(json('receipts', 'get', receipt.receipt_id));
    const saved = file('receipt.json', text);
    await line.served.stop();
    try {
      expect(orb('receipts', 'verify', saved))
        .to.include(receipt.receipt_id)
        .and.match(/^VERIFIED$/m);
      const report = json<object>('receipts', 'verify', saved);
      expect(report).to.include({ overall: 'VERIFIED', exit: 0 });
    } finally {
      await line.start();
    }
  });

  it('providers status, swap and rollback: show, change and change back who serves an Orb', () => {
    const orbId = 'demo.echo@1.0.0';
    const active = () => json<{ active_provider: string }>('providers', 'status', orbId).active_provider;
    expect(orb('providers', 'status', orbId)).to.match(
      /^demo\.echo@1\.0\.0: echo \(config, stable\)\nPROVIDER +ROLE .*\necho +active /,
    );
    const { status, stdout, stderr } = run(['providers', 'swap', orbId, 'second']);
    expect([status, stderr], stderr).to.satisfy(
      ([code, states]: [number, string]) => code === 0 && /completed\n$/.test(states),
    );
    expect(stdout).to.match(/^swp_\w+: echo → second, generation \d+\n$/);
    expect(active()).to.equal('second');
    expect(json<object>('providers', 'rollback', orbId)).to.include({
      from: 'second',
      to: 'echo',
      state: 'completed',
    });
    expect(active()).to.equal('echo');
  });

  it('providers swap: changes nothing when another generation is bound, or the provider is unfit', () => {
    const swap = (...args: string[]) => run(['providers', 'swap', 'demo.echo@1.0.0', ...args]);
    expect(swap('second', '--if-match', '999').stderr).to.include('(precondition_failed, ');
    expect(swap('outbox').stderr).to.include('(invalid_provider, ');
    expect(json<object>('providers', 'status', 'demo.echo@1.0.0')).to.include({ active_provider: 'echo' });
  });

  it('config reload: takes a changed platform.json into use, and refuses a faulty one', () => {
    const path = join(line.served.home, 'data/platform.json');
    const before = readFileSync(path, 'utf8');
    const settings = JSON.parse(before) as object;
    try {
      expect(orb('config', 'reload')).to.equal('nothing changed\n');
      file('data/platform.json', { ...settings, providers: { ...providers, third: { adapter: 'echo/local' } } });
      const { providers: changed } = json<{ providers: object[] }>('config', 'reload');
      expect(changed).to.deep.include.members([{ orb_id: 'demo.echo@1.0.0', provider: 'third', change: 'added' }]);
      file('data/platform.json', { ...settings, colour: 'red' });
      const { status, stderr } = run(['config', 'reload']);
      expect([status, /platform\.json\/?.*colour/.test(stderr)], stderr).to.deep.equal([1, true]);
    } finally {
      file('data/platform.json', before);
      orb('config', 'reload');
    }
  });

  it('config check: says that the configuration is sound and what it consists of, beside a running server', () => {
    expect(orb('config', 'check')).to.match(/^The configuration is valid: \d+ plugins, \d+ providers, \d+ orbs, /);
    const found = json<{ providers: object[]; orbs: string[] }>('config', 'check');
    expect(found.providers).to.deep.include({ name: 'outbox', adapter: 'email/outbox' });
    expect(found.orbs).to.include('demo.echo@1.0.0');
  });

  it('config check: tells all faults at once, each with its path', () => {
    const env = { PATH: process.env['PATH'] ?? '', ORB_LOG_LEVEL: 'loud', ORB_COLOUR: 'red' };
    const { status, stderr } = spawnSync(process.execPath, [program, 'config', 'check'], { env, encoding: 'utf8' });
    expect(status).to.equal(78);
    expect(stderr).to.include('environment/ORB_LOG_LEVEL: ').and.include('environment/ORB_COLOUR: ');
  });

  for (const [words, told] of [
    ['recepts', "orb: unknown command 'recepts' (did you mean receipts?)\n"],
    ['receipts verfy', "orb: unknown command 'verfy' (did you mean verify?)\n"],
    ['provider status x', "orb: unknown command 'status' (did you mean orb providers status?)\n"],
    ['list runs', "orb: unknown command 'list' (did you mean orb runs list?)\n"],
    ['orbs list --jsn', "orb: unknown option '--jsn' (did you mean --json?)\n"],
    ['frobnicate', "orb: unknown command 'frobnicate'; orb --help lists them\n"],
    ['orbs show', "orb: missing required argument 'orb_id'\n"],
  ] as const)
    it(`orb ${words}: says in one line what is wrong, and what was meant`, () => {
      const { status, stdout, stderr } = run(words.split(' '));
      expect([status, stdout, stderr]).to.deep.equal([64, '', told]);
    });

  it('describe themselves, their groups, arguments and options', () => {
    const help = (...words: string[]) => orb(...words, '--help').replace(/\n {4,}/g, ' ');
    const terms = (text: string) => [...text.matchAll(/^ {2}(\S.*)$/gm)].map(([, line = '']) => line);
    const walk = (...words: string[]): string[] => {
      const text = help(...words);
      const bare = terms(text).filter((line) => !/ {2,}\S/.test(line));
      const groups = [...text.matchAll(/^ {2}([a-z][\w-]*) {2,}\S/gm)].map(([, name = '']) => name);
      const below = words.length > 0 ? [] : groups;
      return [...bare.map((line) => `${words.join(' ')}: ${line}`), ...below.flatMap((name) => walk(name))];
    };
    expect(walk()).to.deep.equal([]);
    expect(help()).to.match(/^Control access:\n {2}keys +create, list and revoke API keys$/m);
  }).timeout(120_000);

  it('--version and --help: need neither server nor configuration', () => {
    expect(orb('--version')).to.equal(`${version}\n`);
    expect(orb('--help')).to.include('Usage: orb');
    expect(orb('help', 'run')).to.include('Usage: orb run');
  });
});
