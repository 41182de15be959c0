import { build, type Plugin } from 'esbuild';
import { expect } from 'chai';
import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';
import { runInThisContext } from 'node:vm';
import { compact, needed } from '../../../../plugins/kit/binary/sources.ts';
import { packageDir } from '../../../helpers/folder.ts';

const require = createRequire(import.meta.url);

interface Bundled {
  readonly text: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

async function bundled(name: string, plugins: Plugin[]): Promise<Bundled> {
  const { outputFiles } = await build({
    ...{
      stdin: { contents: `module.exports = require('${name}')`, resolveDir: packageDir },
      bundle: true,
      write: false,
    },
    ...{ platform: 'node', format: 'cjs', minifySyntax: true, minifyWhitespace: true, logLevel: 'error', plugins },
  });
  const text = outputFiles[0]?.text ?? '';
  const module = { exports: {} };
  const run = runInThisContext(`(function (module, require) {${text}\n})`) as (...given: readonly unknown[]) => void;
  run(module, require);
  return { text, exports: module.exports };
}

describe('packages in the executable', () => {
  it('have shorter names of variables', async () => {
    const [short, long] = await Promise.all([bundled('ajv/dist/2020.js', [compact]), bundled('ajv/dist/2020.js', [])]);
    expect(short.text.length).to.be.below(long.text.length * 0.92);
  });

  for (const name of ['commander', 'pg-protocol', 'ajv/dist/2020.js', 'http-errors'])
    it(`keep the names of classes of errors, which logs show: ${name}`, async () => {
      const errorsOf = (exports: object): readonly string[] =>
        Object.values(exports).flatMap((one: unknown) =>
          typeof one === 'function' && one.prototype instanceof Error ? [one.name] : [],
        );
      const names = errorsOf((await bundled(name, [compact])).exports);
      expect(names).to.have.length.above(0);
      expect(names).to.deep.equal(errorsOf(require(name) as object));
    });

  for (const name of ['mime-types', 'accepts/node_modules/mime-types'])
    it(`find the same media types for file names, and the same encodings: ${name}`, async () => {
      type Types = Readonly<Record<'types' | 'extensions', object>> & { charset(type: string): unknown };
      const [whole, kept] = [require(name) as Types, (await bundled(name, [compact])).exports as Types];
      expect(kept.types).to.deep.equal(whole.types);
      expect(kept.extensions).to.deep.equal(whole.extensions);
      const all = Object.keys(require('mime-db') as object);
      expect(all.map((type) => kept.charset(type))).to.deep.equal(all.map((type) => whole.charset(type)));
    });

  it('read files of a form without the readers of other bodies', async () => {
    const { koaBody } = (await bundled('koa-body', [needed])).exports as {
      koaBody(options: object): (ctx: object, next: () => Promise<void>) => Promise<void>;
    };
    const head = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain';
    const body = `--x\r\n${head}\r\n\r\nhello\r\n--x--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(body.length) };
    const req = Object.assign(Readable.from(Buffer.from(body)), { headers });
    const request: { files?: Readonly<Record<string, unknown>> } = {};
    const ctx = { req, request, method: 'POST', is: (type: unknown) => String(type).startsWith('multipart') };
    const taken: Buffer[] = [];
    const fileWriteStreamHandler = () =>
      new Writable({ write: (chunk: Buffer, _, done) => void (taken.push(chunk), done()) });
    const options = { multipart: true, json: false, urlencoded: false, text: false };
    await koaBody({ ...options, formidable: { fileWriteStreamHandler } })(ctx, async () => undefined);
    expect([request.files?.['file']].flat()[0]).to.include({ originalFilename: 'a.txt' });
    expect(Buffer.concat(taken).toString()).to.equal('hello');
  });
});
