import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string; readonly enum?: unknown };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const things: Readonly<Record<string, string>> = { id: 'default', orb_id: 'demo.echo@1.0.0', name: 'echo' };

describe('a filter without a value', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  it('is taken or refused at each route, alone and with all others', async () => {
    const { paths, components } = (await platform.call('GET', '/openapi.json', undefined, null)).body as Document;
    const resolved = (one: Parameter): Parameter => components.parameters[one.$ref?.split('/').at(-1) ?? ''] ?? one;
    const asked = Object.entries(paths).flatMap(([form, { get }]) => {
      const path = form.replaceAll(/\{(\w+)\}/g, (all, name: string) => things[name] ?? all);
      const texts = (get?.parameters ?? []).map(resolved).filter((one) => one.in === 'query');
      const names = texts.filter(({ schema }) => schema.type === 'string').map(({ name }) => `${name}=`);
      // The stream of events has no end.
      if (path.includes('{') || path === '/events' || names.length === 0) return [];
      return [...names, names.join('&')].map((query) => `${path}?${query}`);
    });
    expect(asked).to.include('/swaps?provider=').and.have.length.above(100);
    const failed: string[] = [];
    for (const path of asked) {
      const { status } = await platform.call('GET', path);
      if (status >= 500) failed.push(`${path} ${status}`);
    }
    expect(failed).to.deep.equal([]);
  });
});
