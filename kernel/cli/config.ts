import { defineCommand } from './command/command.ts';
import { painted } from './output/meaning.ts';

/** `orb config check`: loads everything, starts nothing; exit 78 with all faults. */
export const configCheck = defineCommand({
  path: 'config check',
  summary: 'check platform.json, ORB_*, manifests, plugins and adapters, without starting the server',
  async run({ installation, print, screen }) {
    const { listeners: _l, insecure_http: _i, state_dir, warnings, ...found } = await installation.check();
    const mark = painted('warning', screen, '!');
    const counts = Object.entries(found).map(([kind, items]) => `${items.length} ${kind}`);
    print(
      { home: installation.home, state_dir, ...found, warnings },
      [`The configuration is valid: ${counts.join(', ')}.`, ...warnings.map((one) => `${mark} ${one}`)].join('\n'),
    );
  },
});
