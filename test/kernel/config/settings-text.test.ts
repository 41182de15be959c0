import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir, readConfig } from '../../../kernel/config/config.ts';
import { platformFile } from '../../../kernel/config/settings.ts';
import { parseSettings } from '../../../kernel/config/config.ts';
import { ConfigError } from '../../../kernel/error.ts';
import { compile } from '../../../kernel/tools/schema.ts';

describe('the text of platform.json', () => {
  let home: string;
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-settings-'));
    mkdirSync(join(home, 'data'));
  });
  after(() => rmSync(home, { recursive: true, force: true }));
  const read = (text: string) => {
    writeFileSync(join(home, 'data/platform.json'), text);
    const faults: string[] = [];
    try {
      return { config: readConfig({}, home, faults), faults };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { faults: error.faults };
    }
  };

  it('may hold comments, and a comma after the last member', () => {
    const text =
      '// head\n{ /* a */ "log_level": "debug", // b\n "trust_proxy": [\n"10.0.0.0/8", /* , */ ], // "x": 1,\n}\n';
    expect(read(text).config)
      .to.include({ logLevel: 'debug' })
      .and.deep.include({ trustProxy: ['10.0.0.0/8'] });
  });

  it('keeps what looks like a comment in a string', () => {
    const site = { name: 'a // b /* c */ \\" // ,}' };
    expect(read(JSON.stringify({ site })).config?.brand).to.include({ name: site.name });
  });

  it('has faults at the positions of the file', () => {
    const text = '// 1 ☂ "\r\n/* 2\n3 */ { "log_level": "info"\n  /* 4 */ "authorize": 1 }';
    expect(read(text).faults).to.have.length(1);
    expect(read(text).faults[0]).to.match(/^platform\.json: cannot be read as JSON \(.*\(line 4 column 11\)\)$/);
    expect(read('{ "providers": {} /* open').faults).to.have.length(1);
    expect(read('').faults).to.have.length(1);
  });

  it('is checked as before: a comment hides a member, and an unknown one is a fault', () => {
    expect(read('{ /* "colour": 1 */ }').faults).to.deep.equal([]);
    expect(read('{ "colour": 1 }').faults[0]).to.include('platform.json/colour');
  });

  it('is in the file that ships, whose comments show settings that are valid', () => {
    const text = readFileSync(join(packageDir, 'data/platform.example.json'), 'utf8');
    const providers = { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } };
    expect(parseSettings(text)).to.deep.equal({ providers });
    // A line of a setting begins with a quote or a bracket, or is indented below one.
    const shown = text.replace(/^( *)\/\/ ( *["[\]{}])/gm, '$1$2');
    const settings = parseSettings(shown) as object;
    expect(compile(platformFile)(settings)).to.deep.equal([]);
    const names = ['listen', 'trust_proxy', 'public_url', 'log_level', 'limits', 'plugins', 'bindings', 'providers'];
    expect(Object.keys(settings)).to.deep.equal(names);
  });
});
