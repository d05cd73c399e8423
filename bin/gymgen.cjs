#!/usr/bin/env node
require('../dist/cli/start.cjs').start(process.argv);
