import { inNode, inPython, testSteps } from './killed.ts';

testSteps(
  'plugins/docs/pages/call/agent-tools.md',
  [
    { name: 'a LangGraph tool', step: (subject) => ({ words: inPython('agent.py', subject) }) },
    { name: 'a tool of the AI SDK', step: (subject) => ({ words: inNode('agent.mjs', subject) }) },
  ],
  () => undefined,
);
