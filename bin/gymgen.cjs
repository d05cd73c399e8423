#!/usr/bin/env node
// V8 enlarges its young generation once while gymgen is loaded, here from 1 to 4 MB. `run` then keeps that size.
require('node:v8').setFlagsFromString('--semi-space-growth-factor=4');
import('../dist/cli/main.js').then(({ main }) => main(process.argv));
