import { expect, it } from 'vitest';
import { gymRoot, splitNames } from '../../src/rules/index.js';
import { askGym } from '../gym/gym-python.js';

const CHARS = [...Array(126).keys()].map((code) => String.fromCharCode(code + 1)).concat('é', '中', '\u2028');

/** Whether Hydra reads a path unchanged, alone and in a list, which are the two forms that `gym` passes. */
const HYDRA = `
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
parser = OverridesParser.create()
def keeps(path):
    try:
        values = [parser.parse_override(text).value() for text in (f"+x=[{path}]", f"+x={path}")]
    except HydraException:
        return False
    return values == [[path], path]
json.dump([keeps(path) for path in given], sys.stdout)
`;

it("accepts only paths that Gym's command line reads unchanged", async () => {
  const root = (char: string) => `/srv/a${char}b/root`;
  const split = (char: string) => `a${char}b`;
  const paths = CHARS.flatMap((char) => [root(char), `/srv/data/${split(char)}.jsonl`]);
  const kept = await askGym<boolean[]>(HYDRA, paths);
  for (const [at, char] of CHARS.entries()) {
    if (gymRoot({ path: root(char) }).length === 0)
      expect(kept[2 * at], `root with ${JSON.stringify(char)}`).toBe(true);
    if (splitNames([split(char)], { example: false }).length === 0) {
      expect(kept[2 * at + 1], `split with ${JSON.stringify(char)}`).toBe(true);
    }
  }
});
