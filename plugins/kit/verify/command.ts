import { defineCommand } from '../../../kernel/index.ts';
import { optionsOf } from '../../terminal/contract.ts';

/** `orb provider verify`: exit 0 when the adapter conforms, 1 when not, 78 when it cannot be verified. */
export const providerVerify = defineCommand({
  path: 'provider verify',
  summary: 'load an adapter and run the conformance suite on it',
  args: [
    { name: 'path', description: 'the file of the adapter, a folder with index.ts, or a shipped one: sms/twilio' },
  ],
  options: optionsOf({
    '--config <file>': 'settings of the verification; default: verify.json next to the file of the adapter',
    '--report <file>': 'write the report to this file, as JSON',
  }),
  run: async (call) => (await import('./verify.ts')).verifyAdapter(call),
});
