import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// The server reads the settings in its home; a package keeps them where an operator looks for them. A file in the home
// that the operator put there stays.
const linked = `ExecStartPre=/bin/sh -c 'mkdir -p data && { test -e data/platform.json || ln -sf /etc/orb/platform.json data/platform.json; }'`;

/** Makes a systemd unit of a package: the one of the executable, with the paths of a package. */
export function unitOf(root: string, name: 'orb.service' | 'orb@.service'): string {
  const text = readFileSync(join(root, 'kernel/binary', name), 'utf8');
  return replaced(
    replaced(
      text,
      /: copy to .*$/m,
      ` of the package. Settings: /etc/orb/platform.json. Changes: systemctl edit ${name}.`,
    ),
    /^ExecStart=\/usr\/local\/bin\/orb serve$/m,
    `${linked}\nExecStart=/usr/bin/orb serve`,
  );
}

/** Makes the settings of a package: the shipped example, which says of itself where it is. */
export function settingsOf(root: string): string {
  const text = readFileSync(join(root, 'data/platform.example.json'), 'utf8');
  return replaced(
    text,
    /^\/\/ `orb init FOLDER` [^]*?\/\/ data\/platform\.json is served .*$/m,
    '// The units orb.service and orb@.service serve with this file. An upgrade keeps your changes.',
  );
}

function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`${String(pattern)} is no longer in the file that a package adapts`);
  // A function: `$` has no meaning in what it returns.
  return text.replace(pattern, () => by);
}
