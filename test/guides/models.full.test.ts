import { buildClients } from '../plugins/clients/built.ts';
import { startBed } from '../plugins/models/bed.ts';
import { testGuide } from './follow.ts';

testGuide('the guide to models', {
  guide: 'plugins/docs/pages/call/models.md',
  async begin() {
    buildClients();
    const { platform } = await startBed({
      platform: { providers: { vendor: { adapter: 'llm/script', config: { models: { fast: {} } } } } },
    });
    return { home: platform.home, url: platform.url, remove: () => platform.stop() };
  },
  says: {
    'Ask a model': /"content":"hello"/,
    'List and test models': /fast +vendor[^]*usage +12 input tokens[^]*receipt +rec_/,
    'Ask by the Anthropic API': /event: content_block_delta[^]*event: message_stop/,
  },
});
