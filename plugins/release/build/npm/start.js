#!/usr/bin/env node
// Without a word, `npx agent-orb-platform` starts a server in the current folder; with words it is `orb`.
'use strict';
if (process.argv.length === 2) process.argv.push('serve');
require('./orb.js');
