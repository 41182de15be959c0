import { need } from '../../../helpers/needs.ts';
import { startPythonAgents, type PythonAgents } from './python-agents.ts';
import { defineRepeatLists, type Agent } from './repeat-lists.ts';

describe('the stock Python client', () => {
  let agents: PythonAgents | undefined;

  before(function () {
    need(this, 'python');
  });
  after(() => agents?.stop());

  const connect = async (mode: 'auto' | 'legacy', url: URL, key: string): Promise<Agent> => {
    agents ??= startPythonAgents();
    const agent = await agents.open(mode, url, key);
    return { call: (name, token) => agent.call(`test_${name}`, { token }), close: () => agent.close() };
  };

  defineRepeatLists('Python', {
    'Python client, 2026-07-28': (url, key) => connect('auto', url, key),
    'Python client, 2025-11-25': (url, key) => connect('legacy', url, key),
  });
});
