import { expect } from 'chai';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';

interface Schema {
  readonly $ref?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly parameters?: readonly (Schema & {
    readonly name?: string;
    readonly in?: string;
    readonly schema?: Schema;
  })[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

describe('a time that a caller gives', () => {
  let platform: TestPlatform;
  let operations: { method: string; path: string; query: string[]; body: string[] }[];
  before(async () => {
    platform = await startPlatform();
    operations = timesOf((await platform.call('GET', '/openapi.json')).body);
  });
  after(() => platform.stop());

  const inAnHour = (offset: string): string => {
    const ahead =
      Number(`${offset.slice(0, 1)}1`) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))) * 60_000;
    return `${new Date(hour + ahead).toISOString().slice(0, 19)}${offset}`;
  };
  const hour = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000;
  const utc = new Date(hour).toISOString();

  it('may have an offset in every query, also when its sign is not escaped', async () => {
    const reading = operations.filter(
      ({ method, path, query }) => method === 'GET' && query.length > 0 && !path.includes('{'),
    );
    expect(reading.map(({ path }) => path)).to.include.members([
      '/runs',
      '/receipts',
      '/incidents',
      '/deliveries',
      '/stats',
    ]);
    for (const { path, query } of reading)
      for (const name of query) {
        const asked = async (time: string) => {
          const { status, body } = await platform.call('GET', `${path}?${name}=${time}`);
          return [status, status === 200 ? [] : body.detail];
        };
        for (const time of ['2026-01-01T01:00:00+01:00', '2026-01-01T01:00:00%2B01:00', '2025-12-31T23:00:00-01:00'])
          expect(await asked(time), `${path} ${name} ${time}`).to.deep.equal(await asked('2026-01-01T00:00:00Z'));
        expect((await asked('2026-01-01T00:00:00'))[0], `${path} ${name}`).to.equal(400);
      }
  });

  const inputs = { text: 'hello' };
  const schedule = {
    ...{ cron: '* * * * *', timezone: 'UTC', overlap: 'skip', catch_up: 'none' },
    ...{ orb_id: 'demo.echo@1.0.0', inputs },
  };
  const bodies: readonly {
    readonly route: string;
    readonly name: string;
    readonly send: (time: string) => Promise<Record<string, unknown>>;
  }[] = [
    {
      route: 'POST /keys',
      name: 'expires_at',
      send: async (expires_at) =>
        (await platform.call('POST', '/keys', { name: 'one', scopes: ['orbs:read'], expires_at })).body,
    },
    {
      route: 'POST /orbisets/{id}/schedules',
      name: 'until',
      send: async (until) => (await platform.call('POST', '/orbisets/default/schedules', { ...schedule, until })).body,
    },
    {
      route: 'PATCH /orbisets/{id}/schedules/{schedule_id}',
      name: 'until',
      send: async (until) => {
        const { schedule_id } = (await platform.call('POST', '/orbisets/default/schedules', schedule)).body;
        return (await platform.call('PATCH', `/orbisets/default/schedules/${schedule_id}`, { until })).body;
      },
    },
    {
      route: 'POST /orbisets/{id}/execute',
      name: 'run_at',
      send: async (run_at) => {
        const asked = { orb_id: 'demo.echo@1.0.0', inputs, mode: 'async', run_at };
        const { body } = await platform.call('POST', '/orbisets/default/execute', asked);
        return (await platform.call('GET', `/runs/${body.run_id}`)).body;
      },
    },
    {
      route: 'POST /maintenance',
      name: 'starts_at',
      send: async (starts_at) => {
        const scope = { kind: 'component', id: 'runtime' };
        const ends_at = new Date(hour + 3_600_000).toISOString();
        return (await platform.call('POST', '/maintenance', { title: 'one', scope: [scope], starts_at, ends_at })).body;
      },
    },
  ];
  for (const { route, name, send } of bodies)
    it(`may have an offset in ${name} of ${route}, and is answered as UTC`, async () => {
      for (const offset of ['+00:00', '+05:45', '-03:30']) {
        const answer = await send(inAnHour(offset));
        expect(answer[name], JSON.stringify(answer)).to.equal(utc);
      }
    });

  it('is stored as UTC: the time from which a secret of a source serves', async () => {
    const { body: made } = await platform.call('POST', '/sources', { name: 'one', vendor: 'generic' });
    const { source } = made;
    const path = `/sources/${source.source_id}/secrets`;
    const { status } = await platform.call('POST', path, { not_before: inAnHour('+02:00') });
    expect(status).to.equal(201);
    const { body } = await platform.call('GET', `/sources/${source.source_id}`);
    expect(body.secrets.map(({ not_before }: { not_before: string }) => not_before)).to.include(utc);
  });

  it('may be asked with an offset for a replay of deliveries', async () => {
    const from = inAnHour('-02:00');
    const deliveries = await platform.call('POST', '/deliveries/replay', { from, confirm: true, source_id: 'none' });
    expect(JSON.stringify(deliveries.body)).to.not.contain('/from');
  });

  it('is known here, wherever a body may hold one', () => {
    const found = operations
      .filter(({ body }) => body.length > 0)
      .map(({ method, path, body }) => `${method} ${path} ${body.join()}`);
    expect(found).to.have.members([
      ...bodies.filter(({ name }) => name !== 'starts_at').map(({ route, name }) => `${route} ${name}`),
      ...['POST /incidents starts_at', 'POST /maintenance starts_at,ends_at'],
      ...[
        'PATCH /maintenance/{maintenance_id} starts_at,ends_at',
        'POST /sources/{source_id}/secrets not_before,not_after',
      ],
      ...['POST /deliveries/replay from,to', 'POST /policies/-/replay from,to'],
    ]);
  });
});

function timesOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}) {
  const resolve = <T extends Schema>(schema: T | undefined): T | undefined => {
    if (schema?.$ref === undefined) return schema;
    const [kind = '', name = ''] = schema.$ref.split('/').slice(-2);
    return document.components[kind]?.[name] as T | undefined;
  };
  const isTime = (schema: Schema | undefined): boolean => resolve(schema)?.format === 'date-time';
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const query = parameters
        .map((one) => resolve(one))
        .flatMap((one) => (one?.in === 'query' && isTime(one.schema) ? [one.name ?? ''] : []));
      const properties = resolve(requestBody?.content?.['application/json']?.schema)?.properties ?? {};
      const body = Object.entries(properties).flatMap(([name, schema]) => (isTime(schema) ? [name] : []));
      return { method: method.toUpperCase(), path, query, body };
    }),
  );
}
