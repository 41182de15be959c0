import { expect } from 'chai';
import { commandWords, environmentOf } from '../../../kernel/cli/global-options.ts';

describe('the options of every command', () => {
  it('are no words of the command', () => {
    const words = ['config', 'check', '--json'];
    for (const before of [[], ['--home', 'a'], ['--home=a', '--ca', 'b'], ['--ca=b', '--home', '--ca']])
      expect(commandWords([...before, ...words]), before.join(' ')).to.deep.equal(words);
    expect(commandWords(['--ca', 'a'])).to.deep.equal([]);
    expect(commandWords(['--homely', 'serve'])).to.deep.equal(['--homely', 'serve']);
  });

  it('set the home, wherever they are, instead of ORB_HOME; the last one counts', () => {
    const env = { ORB_HOME: 'x', A: '1' };
    const homeOf = (...argv: readonly string[]): string | undefined => environmentOf(argv, env)['ORB_HOME'];
    expect(environmentOf(['serve'], env)).to.equal(env);
    expect(environmentOf(['serve', '--home', 'a'], env)).to.deep.equal({ ORB_HOME: 'a', A: '1' });
    expect([homeOf('--home=a', 'serve'), homeOf('serve', '--home', 'a', '--home=b')]).to.deep.equal(['a', 'b']);
    expect(homeOf('run', 'x', '--', '--home', 'a')).to.equal('x');
  });
});
