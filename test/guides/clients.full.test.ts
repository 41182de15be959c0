import { testGuide } from './follow.ts';

testGuide('the guide to client libraries', {
  guide: 'plugins/docs/pages/call/clients.md',
  says: {
    'Install the client': /added 1 package/,
    'Trust keys': /verified: true/,
    'Give tools to a model': /^(?:\w+ )*notify_email\b.*\nmessage_id$/m,
  },
});
