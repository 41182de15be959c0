/** The scripts that a package runs; Debian and RPM call them with words of their own. */
export const scripts = {
  // Debian: `configure <version before>`; RPM: the number of versions that are there now.
  postinstall: `#!/bin/sh
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload || :
case "$1 $2" in "configure "?* | [2-9]*) ;; *) exit 0 ;; esac
systemctl try-restart orb.service || :
# One after the other: each accepts requests before the next one stops.
for unit in $(systemctl list-units --plain --no-legend --state=active 'orb@*.service' | cut -d ' ' -f 1); do
  systemctl restart "$unit" || :
done
`,
  // Debian: `remove`, and `upgrade` before another version; RPM: 0 and 1.
  preremove: `#!/bin/sh
set -e
case "$1" in remove | 0) ;; *) exit 0 ;; esac
if [ -d /run/systemd/system ]; then systemctl stop orb.service 'orb@*.service' || :; fi
if command -v systemctl > /dev/null; then systemctl --no-reload disable orb.service orb@.service > /dev/null 2>&1 || :; fi
`,
  postremove: `#!/bin/sh
set -e
case "$1" in remove | 0) ;; *) exit 0 ;; esac
if [ -d /run/systemd/system ]; then systemctl daemon-reload || :; fi
`,
} as const;
