import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { PlatformError } from '../../../../kernel/index.ts';
import { openReads } from '../../../../kernel/store/serving/reads.ts';
import apiKeysStore from '../../../../plugins/api-keys/store.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { shippedList } from '../../../helpers/stores/shipped-list.ts';
import { rejection } from '../../../helpers/stores/open.ts';

describe('reads while a database is away', function () {
  this.timeout(60_000);
  const server = usePostgres();
  before(async () => {
    await (await server.client('away')).query('CREATE TABLE api_keys_keys (id text)');
  });

  it('are asked again during a start, and reject with 503 once it is over', async () => {
    const reader = openReads({
      stateDir: '/nowhere',
      address: server.address('away'),
      modules: [{ name: 'api_keys' }],
      list: shippedList,
    });
    const reads = reader.reads(apiKeysStore);
    try {
      let during: unknown;
      await server.restart(async () => {
        during = reads.any();
        await delay(1000);
      });
      expect(await during).to.equal(false);
      reader.begin();
      let after: unknown;
      await server.restart(async () => {
        after = await rejection(Promise.resolve(reads.any()));
      });
      expect((after as PlatformError).code).to.equal('storage_unavailable');
    } finally {
      await reader.close();
    }
  });
});
