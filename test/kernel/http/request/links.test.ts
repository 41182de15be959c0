import { expect } from 'chai';
import { defineRoute } from '../../../../kernel/http/route/route.ts';
import { sectionsOf } from '../../../../kernel/http/request/links.ts';

describe('the sections of a listener', () => {
  it('have the order of the positions that routes give', () => {
    const common = { method: 'GET', service: 'shared', public: true, summary: 's', problems: [] } as const;
    const route = (path: string, navigation?: { name: string; position: number }) =>
      defineRoute({ ...common, path, handle: () => undefined, ...(navigation === undefined ? {} : { navigation }) });
    const routes = [route('/b', { name: 'B', position: 2 }), route('/none'), route('/a', { name: 'A', position: 1 })];
    const here = { address: '127.0.0.1:0', services: [] };
    const options = { listen: [here], publicUrl: 'http://orb.test', trustProxy: [] };
    expect(sectionsOf(options, here, routes).map(({ path, name }) => [path, name])).to.deep.equal([
      ['/a', 'A'],
      ['/b', 'B'],
    ]);
  });
});
