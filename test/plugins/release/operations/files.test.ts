import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseSettings } from '../../../../kernel/config/config.ts';
import { platformFile, variables } from '../../../../kernel/config/settings.ts';
import { compile } from '../../../../kernel/tools/schema.ts';
import { unitOf } from '../../../../plugins/release/build/linux/units.ts';
import { packageDir } from '../../../helpers/folder.ts';

const folder = 'plugins/release/operations';
const read = (path: string): string => readFileSync(join(packageDir, path), 'utf8');

// Variables that Compose puts into the file, and that no server gets.
const ofCompose = ['ORB_IMAGE'];

describe('the files that start servers', () => {
  const texts = [
    ...globSync(`${folder}/**/*.{yaml,json,tpl,cfg}`, { cwd: packageDir }).map((path) => [path, read(path)] as const),
    ...(['orb.service', 'orb@.service'] as const).map((unit) => [unit, unitOf(packageDir, unit)] as const),
  ];

  for (const [path, text] of texts)
    it(`${path} names variables that there are`, () => {
      // What ends in an underscore or an ellipsis is the beginning of a name.
      const named = [...text.matchAll(/\bORB_[A-Z_]+[A-Z]\b/g)].map(([name]) => name);
      expect([...Object.keys(variables), ...ofCompose]).to.include.members(named);
    });

  it('has each value of the chart on the page on installation', () => {
    const page = read('plugins/docs/pages/operate/install.md');
    const schema = JSON.parse(read(`${folder}/chart/values.schema.json`)) as { readonly properties: object };
    for (const name of Object.keys(schema.properties).filter((one) => one !== 'global'))
      expect(page).to.match(new RegExp(`^\\|.*\`${name}[\`.].*\\|$`, 'm'));
  });

  it('name settings that there are', () => {
    expect(texts.map(([path]) => path)).to.include(`${folder}/compose.ha.platform.json`);
    const settings = parseSettings(read(`${folder}/compose.ha.platform.json`));
    expect(compile(platformFile)(settings)).to.deep.equal([]);
    const named = texts.flatMap(([, text]) => [...text.matchAll(/\bsettings\.([a-z_]+)/gi)].map(([, name]) => name));
    expect(Object.keys(platformFile.properties)).to.include.members(named.filter((name) => name !== 'yaml'));
    expect(named).to.include.members(['drain_ms', 'trust_proxy']);
  });
});
