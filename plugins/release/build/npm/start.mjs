#!/usr/bin/env node
// Without a word, `npx agent-orb-platform` starts a server in the current folder; with words it is `orb`.
if (process.argv.length === 2) process.argv.push('serve');
await import('./orb.mjs');
