import { expect } from 'chai';
import { isTemporary } from '../../../kernel/cli/serve.ts';
import { ConfigError, PlatformError } from '../../../kernel/error.ts';

const inPlugin = (code: 'storage_unavailable' | 'internal'): Error =>
  new Error('plugin ledger did not start', { cause: new PlatformError(code) });

describe('a start that fails', () => {
  const rows = [
    { name: 'because the store cannot be used now', error: new PlatformError('storage_unavailable'), temporary: true },
    { name: 'because too many writes wait', error: new PlatformError('overloaded'), temporary: true },
    { name: 'in a plugin that needs the store', error: inPlugin('storage_unavailable'), temporary: true },
    { name: 'in a plugin by a defect', error: inPlugin('internal'), temporary: false },
    { name: 'by a defect', error: new PlatformError('internal'), temporary: false },
    { name: 'by its settings', error: new ConfigError(['listen: no address']), temporary: false },
    { name: 'by an error of the program', error: new Error('no such thing'), temporary: false },
  ];
  for (const { error, name, temporary } of rows)
    it(`${name} ${temporary ? 'is to be made again (exit code 75)' : 'is not made again'}`, () => {
      expect(isTemporary(error)).to.equal(temporary);
    });
});
