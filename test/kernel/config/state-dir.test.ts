import { expect } from 'chai';
import { stateDirOf } from '../../../kernel/config/state-dir.ts';

describe('the state dir', () => {
  const rows: readonly (readonly [env: Readonly<Record<string, string>>, dir: string])[] = [
    [{}, '/cwd/data/state'],
    [{ ORB_HOME: 'home' }, '/cwd/home/data/state'],
    [{ ORB_HOME: '/platform' }, '/platform/data/state'],
    [{ ORB_HOME: '/platform', ORB_STATE_DIR: '/state' }, '/state'],
    [{ ORB_HOME: '/platform', ORB_STATE_DIR: 'state' }, '/cwd/state'],
  ];
  for (const [env, dir] of rows)
    it(`is ${dir} with ${JSON.stringify(env)}`, () => {
      expect(stateDirOf(env, '/cwd')).to.equal(dir);
    });
});
