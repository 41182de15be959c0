import { defineCapability } from '../../kernel/adapter.ts';
import { parsedInputs } from './message/message.ts';

/** The capability of notify.sms: sends one text message. */
export const sms = defineCapability({
  name: 'sms',
  title: 'Send text messages',
  inputs: {
    to: 'The recipient: one number with `+` and its calling code, e.g. `+4915123456789`',
    text: 'The message. Long texts are sent in several segments, and each of them is paid for',
    from: 'Alias of a sender that the operator configured; without it, the sender `default`',
    purpose: 'transactional (if absent), otp for a code to sign in, or promotional',
    max_segments: 'Most segments that the text may need; 6 if absent. A text that needs more is refused',
    encoding:
      'auto, or gsm7: refuse a text that the GSM alphabet cannot write. Other texts have 70 characters in a segment instead of 160',
    valid_for_s: 'For how many seconds the vendor tries to deliver it, where the vendor supports that',
  },
  parse: (inputs) => ({ ...parsedInputs(inputs) }),
  sample: { orb: 'notify.sms', asks: ['to'], inputs: (text) => ({ text }) },
});
