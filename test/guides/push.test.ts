import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import { compile, type JsonSchema } from '../../kernel/index.ts';
import { isPair } from '../../providers/push/webpush/vapid.ts';
import { packageDir } from '../helpers/folder.ts';
import { guideBlocks, tableUnder } from '../helpers/guide.ts';
import { builtin } from '../helpers/shipped.ts';

const page = 'plugins/docs/pages/operate/push.md';
const blocks = guideBlocks(page);
const under = (heading: string, language: string): readonly string[] =>
  blocks.filter((block) => block.heading === heading && block.language === language).map(({ code }) => code);

describe('the guide to push messages', () => {
  it('makes keys that the adapter takes', () => {
    const [script = ''] = under('Web Push: make keys', 'sh');
    for (let round = 0; round < 3; round += 1) {
      const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
      const { public_key = '', private_key = '' } = Object.fromEntries(
        printed
          .trim()
          .split('\n')
          .map((line) => line.split(/ +/)),
      ) as Partial<Record<string, string>>;
      expect(isPair({ public_key, private_key })).to.equal(true);
      expect(private_key).to.have.length(43);
    }
  });

  it('shows configurations that the adapters take', () => {
    const providers = blocks
      .filter(({ language }) => language === 'json')
      .flatMap(({ code }) =>
        Object.values(
          (
            JSON.parse(code.replaceAll(/\{ "\$env": "\w+" \}/g, JSON.stringify('x'.repeat(43)))) as {
              providers: object;
            }
          ).providers,
        ),
      );
    expect(providers).to.have.length(2);
    for (const { adapter, config } of providers as { adapter: string; config: object }[]) {
      const found = builtin.adapters.find(({ name }) => name === adapter);
      expect(compile(found?.config ?? {})(config), adapter).to.deep.equal([]);
    }
  });

  it('shows a call that the Orb takes', () => {
    const [script = ''] = under('Send a message', 'sh');
    const inputs = JSON.parse(/'([^']+)'/.exec(script)?.[1] ?? '') as object;
    const manifest = JSON.parse(readFileSync(join(packageDir, 'data/orbs/notify.push@1.0.0.json'), 'utf8')) as {
      inputs_schema: JsonSchema;
    };
    expect(compile(manifest.inputs_schema)(inputs)).to.deep.equal([]);
  });

  it('has a service worker that shows a message, and opens its page when it is tapped', () => {
    const worker = under('Web Push: the page', 'js').find((code) => code.startsWith('// worker.js')) ?? '';
    expect(worker.split('\n').length).to.be.at.most(20);
    const listeners = new Map<string, (event: object) => void>();
    const done: unknown[] = [];
    const self = {
      addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
      registration: { showNotification: (...shown: unknown[]) => shown },
      clients: { openWindow: (url: string) => url },
    };
    runInContext(worker, createContext({ self }));
    const waitUntil = (work: unknown) => done.push(work);
    const message = { title: 't', body: 'b', url: 'https://a.test', data: { run: '1' }, tag: 'c' };
    listeners.get('push')?.({ data: { json: () => message }, waitUntil });
    expect(JSON.stringify(done.pop())).to.equal(
      JSON.stringify(['t', { body: 'b', tag: 'c', data: { run: '1', url: 'https://a.test' } }]),
    );
    const close = () => done.push('closed');
    listeners.get('notificationclick')?.({ notification: { close, data: { url: message.url } }, waitUntil });
    listeners.get('notificationclick')?.({ notification: { close, data: {} }, waitUntil });
    expect(done).to.deep.equal(['closed', message.url, 'closed']);
  });

  it('names each adapter of the capability', () => {
    const named = tableUnder(page, 'Send push messages').map(([cell]) => cell);
    const shipped = builtin.adapters.filter(({ capability }) => capability === 'push').map(({ name }) => `\`${name}\``);
    expect(named).to.have.members(shipped);
  });
});
