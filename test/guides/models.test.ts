import { expect } from 'chai';
import { startBed, type Bed } from '../plugins/models/bed.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/call/models.md';

describe('the guide to models', function () {
  this.timeout(30_000);
  let bed: Bed;
  let walk: Walk;
  before(async () => {
    bed = await startBed({
      platform: { providers: { vendor: { adapter: 'llm/script', config: { models: { fast: {} } } } } },
    });
    walk = beginWalk(guide, { home: bed.platform.home, url: bed.platform.url });
  });
  after(async () => {
    walk?.end();
    await bed?.platform.stop();
  });

  const says: Readonly<Record<string, RegExp>> = {
    'Ask a model': /"content":"hello"/,
    'List and test models': /fast +vendor[^]*usage +12 input tokens[^]*receipt +rec_/,
    'Ask by the Anthropic API': /event: content_block_delta[^]*event: message_stop/,
  };
  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async () => {
      expect(await walk.follow(heading)).to.match(says[heading] ?? /^$/);
    });
});
