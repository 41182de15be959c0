import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../helpers/folder.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { runPython } from '../helpers/python.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { until } from '../helpers/until.ts';
import type { VendorRequest } from '../helpers/vendor.ts';
import { startBed, type Bed, type Made } from '../plugins/subscriptions/bed.ts';
import { leaveOut, need } from '../helpers/needs.ts';

const page = 'plugins/docs/pages/operate/callbacks.md';
const go = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
  .map((folder) => join(folder, 'go'))
  .find((path) => existsSync(path));

/** Judges one callback: answers what it printed, rejects when it refuses. */
type Judge = (args: readonly string[]) => Promise<string>;

describe('libraries that are not ours, as the page of callbacks uses them', function () {
  this.timeout(180_000);
  let bed: Bed;
  let folder: string;
  let made: Made;
  let posts: readonly VendorRequest[];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-judges-'));
    for (const { file, code } of guideBlocks(page)) if (file !== undefined) writeFileSync(join(folder, file), code);
    symlinkSync(join(packageDir, 'node_modules'), join(folder, 'node_modules'));
    bed = await startBed();
    const receiver = await bed.receiver();
    ({ posts } = receiver);
    made = await bed.subscribe(receiver.url);
    await bed.subscribe(receiver.url, { format: 'cloudevents' });
    await bed.run('judged ☂');
    await until(
      () => posts.length,
      (count) => count === 2,
      'two callbacks',
    );
  });
  after(async () => {
    await bed.stop();
    rmSync(folder, { recursive: true });
  });

  const judged = async (judge: Judge): Promise<void> => {
    const { secret } = (await bed.platform.call('POST', `/subscriptions/${made.subscription.subscription_id}/secret`))
      .body as Made;
    const own = (): readonly VendorRequest[] => posts.filter(({ body }) => body.includes('"type":"run.completed"'));
    const before = own().length;
    await bed.run('with two secrets');
    const [last] = (await until(own, (all) => all.length > before, 'one more')).slice(-1);
    const { body, headers } = last as VendorRequest;
    const sent = JSON.stringify(
      Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))),
    );
    expect((await judge([made.secret, body.toString(), sent])).trim()).to.equal('run.completed');
    const wrong: readonly (readonly string[])[] = [
      [secret.replace(/_..../, '_AAAA'), body.toString(), sent],
      [made.secret, body.toString().replace('run_0', 'run_1'), sent],
      [made.secret, body.toString(), sent.replace(/("webhook-id":"evt_.)./, '$1!')],
    ];
    for (const args of wrong)
      expect(
        await judge(args).then(
          () => 'accepted',
          () => 'refused',
        ),
        args.join(' '),
      ).to.equal('refused');
    made = { ...made, secret };
  };

  it('verify them in TypeScript', async function () {
    await judged(async (args) =>
      execFileSync(process.execPath, [join(folder, 'verify.ts'), ...args], { encoding: 'utf8', stdio: 'pipe' }),
    );
  });

  it('verify them in Python', async function () {
    need(this, 'python');
    await judged((args) => runPython([join(folder, 'verify.py'), ...args], { cwd: folder }));
  });

  it('verify them in Go', async function () {
    if (go === undefined) leaveOut(this, 'go');
    const source = join(packageDir, 'test/interop/callbacks');
    for (const name of ['go.mod', 'go.sum']) symlinkSync(join(source, name), join(folder, name));
    const built = spawnSync(go, ['build', '-o', 'judge', 'verify.go'], { cwd: folder, encoding: 'utf8' });
    if (built.status !== 0 && /dial tcp|no such host|connection refused|i\/o timeout/.test(built.stderr)) {
      leaveOut(this, 'go');
    }
    expect(built.status, built.stderr).to.equal(0);
    await judged(async (args) => execFileSync(join(folder, 'judge'), args, { encoding: 'utf8', stdio: 'pipe' }));
  });

  it('verify what the page shows', () => {
    const sample = guideBlocks(page).find(({ heading, language }) => heading === 'Payload' && language === 'json');
    const [post] = posts.filter(({ body }) => body.includes('"type":"run.completed"'));
    const shape = ({ data, ...rest }: { readonly data: { readonly receipt: object } }) =>
      [rest, data, data.receipt].map((one) => Object.keys(one));
    expect(shape(JSON.parse(String(sample?.code)) as never)).to.deep.equal(
      shape(JSON.parse(String(post?.body)) as never),
    );
  });
});

describe('the page of callbacks', function () {
  this.timeout(120_000);
  let served: Served;
  before(async () => {
    const settings = guideBlocks(page).find(({ heading, language }) => heading !== 'Payload' && language === 'json');
    served = createServed(JSON.parse(String(settings?.code)) as Record<string, unknown>);
    await served.start();
  });
  after(() => served.remove());

  it('has commands that work, one after the other', () => {
    const known = new Map<string, string>();
    const type = (line: string): string => {
      const words = line.replace(/\b(?:sub|evt)_[0-9A-Z]{26}/g, (id) => known.get(id.slice(0, 3)) ?? id).split(' ');
      const { status, stdout, stderr } = served.orb(...words.slice(2));
      expect(status, `${words.join(' ')}\n${stdout}${stderr}`).to.equal(0);
      for (const [id] of stdout.matchAll(/\b(?:sub|evt)_[0-9A-Z]{26}/g)) known.set(id.slice(0, 3), id);
      return stdout;
    };
    const blocks = guideBlocks(page).filter(({ language }) => language === 'sh');
    const lines = blocks.flatMap(({ code }) => code.trim().split('\n'));
    const [create = '', list = '', ...rest] = lines;
    expect(type(create)).to.match(/^secret +whsec_/m);
    expect(type(list)).to.match(/^sub_\w+ +active +run\.completed run\.failed +https:\/\/hooks/m);
    type('npx orb run demo.echo@1.0.0 {"text":"hi"}');
    expect(type('npx orb subscriptions callbacks sub_01M8D659DZFMC80JT7JNKX0KV2')).to.match(/^evt_/m);
    expect(rest.length).to.equal(3);
    for (const line of rest) type(line);
    const id = 'sub_01M8D659DZFMC80JT7JNKX0KV2';
    for (const [act, says] of Object.entries({ pause: /is paused/, resume: /is active/, 'delete --yes': /is deleted/ }))
      expect(type(`npx orb subscriptions ${act} ${id}`)).to.match(says);
  });
});
