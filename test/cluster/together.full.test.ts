import { startCluster, type Cluster } from '../helpers/cluster.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { startVendor, type VendorServer } from '../helpers/vendor.ts';
import { testEvents } from './together/events.ts';
import { testKeys } from './together/keys.ts';
import { testManifests } from './together/manifests.ts';
import { testQueue } from './together/queue.ts';
import { testSessions } from './together/sessions.ts';
import { testSubscriptions } from './together/subscriptions.ts';

describe('three servers on one database', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let receiver: VendorServer;
  before(async function () {
    needPostgres(this);
    receiver = await startVendor(() => ({ status: 204 }));
    const private_hosts = [{ host: '127.0.0.1', port: Number(new URL(receiver.url).port) }];
    const plugins = { subscriptions: { config: { private_hosts } } };
    cluster = await startCluster(['a', 'b', 'c'], { plugins });
  });
  after(async () => {
    await cluster?.remove();
    await receiver?.close();
  });

  const shared = (): Cluster => cluster;
  testKeys(shared);
  testSessions(shared);
  testManifests(shared);
  testSubscriptions(shared, () => receiver);
  // It kills one of them.
  testEvents(shared);
  // Runs are under way at its end.
  testQueue(shared);
});
