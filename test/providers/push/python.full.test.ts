import { expect } from 'chai';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';
import { leaveOut, need } from '../../helpers/needs.ts';
import { runPython } from '../../helpers/python.ts';
import { createStage, text } from './vendors/bed.ts';
import { messageIn, serviceBed, subscriptionAt, vapid } from './vendors/service.ts';

const program = `
import json, sys
from pywebpush import webpush
subscription, key, subject, data = sys.argv[1:]
answer = webpush(json.loads(subscription), data, vapid_private_key=key, vapid_claims={"sub": subject}, ttl=60)
print(answer.status_code)
`;

describe('the double of a push service and Python', () => {
  const { vendor: start } = createStage(serviceBed);

  it('accepts what pywebpush sends', async function () {
    need(this, 'python');
    // An environment that was made before the package was listed.
    if (globSync(join(packageDir, 'dist/python/lib/python*/site-packages/pywebpush')).length === 0)
      leaveOut(this, 'python');
    const vendor = await start();
    const args = [JSON.stringify(subscriptionAt(vendor.url)), vapid.private_key, vapid.subject, JSON.stringify(text)];
    expect((await runPython(['-c', program, ...args], { cwd: '.' })).trim()).to.equal('201');
    expect(vendor.posts[0] && messageIn(vendor.posts[0])).to.deep.equal(text);
  });
});
