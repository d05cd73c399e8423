/** A program that parses each line of a file and does nothing more. */
export const PARSE_LINES = `
(async () => {
  const { createInterface } = require('node:readline');
  for await (const line of createInterface({ input: require('node:fs').createReadStream(process.argv[1]) }))
    JSON.parse(line);
})()`;
