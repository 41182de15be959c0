import { fileURLToPath } from 'node:url';
import { need } from '../../../helpers/needs.ts';
import { pythonCommand } from '../../../helpers/python.ts';
import { anthropic } from './anthropic.ts';
import { childClient } from './child.ts';
import { judgesDouble } from './doubles.ts';
import { openai } from './openai.ts';
import { worksUnchanged } from './table.ts';

const program = fileURLToPath(new URL('python_clients.py', import.meta.url));
const command = (kind: string) => () => [pythonCommand('python'), program, kind] as const;

describe('clients of Python', () => {
  const ofOpenai = childClient(
    { ...openai, name: 'PyPI openai', errors: { ...openai.errors, left: 'CancelledError' } },
    { command: command('openai'), embeds: true },
  );
  const ofAnthropic = childClient(
    {
      ...anthropic,
      name: 'PyPI anthropic',
      errors: { ...anthropic.errors, interrupted: 'APIStatusError', left: 'CancelledError' },
    },
    { command: command('anthropic') },
  );
  before(async function () {
    need(this, 'python');
    await Promise.all([ofOpenai.start(), ofAnthropic.start()]);
  });
  after(() => Promise.all([ofOpenai.stop(), ofAnthropic.stop()]));
  for (const client of [ofOpenai, ofAnthropic]) {
    worksUnchanged(client);
    judgesDouble(client);
  }
});
