import { serveReader, testGuide } from './follow.ts';

testGuide('the guide to calls from workflows', {
  guide: 'plugins/docs/pages/call/workflows.md',
  begin: serveReader,
  says: { 'Temporal activity': /^(rec_\w{26})\n\1\n$/ },
  needsPython: true,
});
