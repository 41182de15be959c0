import { serveReader, testGuide } from './follow.ts';

testGuide('the guide to calls from agents', {
  guide: 'plugins/docs/pages/call/agent-tools.md',
  begin: serveReader,
  needsPython: true,
});
