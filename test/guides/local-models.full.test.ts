import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideBlocks } from '../helpers/guide.ts';
import { startLocalModel, type LocalModel } from '../helpers/local-model.ts';
import { need } from '../helpers/needs.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const guide = 'plugins/docs/pages/operate/local-models.md';

/** What is printed under a heading, and which model is behind the address that the heading names. */
const sections = [
  { heading: 'llama.cpp', address: '127.0.0.1:8081', says: /^model +small, answered by smollm2[^]*^receipt +rec_/m },
  { heading: 'Ollama', address: '127.0.0.1:11434', says: /^model +small, answered by smollm2[^]*^receipt +rec_/m },
  {
    heading: 'Vectors from a local model',
    address: '127.0.0.1:8082',
    says: /^usage +\d+ input tokens$[^]*^receipt +rec_/m,
  },
];

describe('the guide to local models', function () {
  this.timeout(120_000);
  let [chat, vectors]: (LocalModel | undefined)[] = [];
  let served: Served;
  let terminal: Terminal;
  let url: string;
  before(async function () {
    need(this, 'model');
    [chat, vectors] = await Promise.all([startLocalModel(), startLocalModel({ embedding: true })]);
    served = createServed();
    ({ url } = await served.start());
    terminal = openTerminal(served.home);
  });
  after(async () => {
    terminal?.close();
    await served?.remove();
    await Promise.all([chat?.stop(), vectors?.stop()]);
  });

  for (const { address, heading, says } of sections)
    it(`asks a model by the blocks under "${heading}"`, async () => {
      const { host } = new URL((heading.startsWith('Vectors') ? vectors : chat)?.url ?? '');
      let printed = '';
      for (const { code, file, heading: own, language } of guideBlocks(guide)) {
        const real = code.replaceAll('127.0.0.1:8080', new URL(url).host).replaceAll(address, host);
        if (own !== heading) continue;
        if (file !== undefined) {
          expect(real, `${heading}: ${address}`).to.not.equal(code);
          writeFileSync(join(served.home, file), real);
        } else if (language === 'sh') printed = (await terminal.run(real)).stdout;
      }
      expect(printed).to.match(says);
    });

  it('starts the servers of llama.cpp at the addresses and by the names that it configures', () => {
    for (const { address, heading } of sections.filter(({ heading: own }) => own !== 'Ollama')) {
      const under = guideBlocks(guide).filter((block) => block.heading === heading);
      const [command, settings] = ['text', 'json'].map((wanted) => under.find(({ language }) => language === wanted));
      const [, name, port] = /--alias (\S+) --port (\d+)/.exec(command?.code ?? '') ?? [];
      expect(`127.0.0.1:${port}`).to.equal(address);
      expect(settings?.code).to.include(`"name": "${name}"`).and.to.include(address);
    }
  });
});
