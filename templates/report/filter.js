/** The states that `is:` accepts. */
const STATES = {
  masked: ({ mask }) => mask !== undefined,
  scored: ({ mask, reward }) => mask === undefined && reward !== null,
  zero: ({ mask, reward }) => mask === undefined && reward === 0,
  'no-call': ({ mask, calls }) => mask === undefined && calls.length === 0,
  'no-signal': ({ hasSignal }) => !hasSignal,
  'no-reward': ({ mask, reward }) => mask === undefined && reward === null,
};

/** Terms with a number. */
const NUMBERS = {
  reward: ({ mask, reward }) => (mask === undefined ? reward : null),
  calls: ({ calls }) => calls.length,
  turns: ({ turns }) => turns,
  generated: ({ generated }) => generated,
  prompt: ({ prompt }) => prompt,
  sequence: ({ sequence }) => sequence,
  line: ({ line }) => line,
  file: ({ file }) => file + 1,
};

/**
 * Whether a rollout matches all terms of a filter.
 * @param {string} text such as `is:zero calls:>2 tool:get_weather`
 * @returns {(rollout: object) => boolean}
 */
export function matcher(text) {
  const terms = (text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((term) => matchTerm(term.replaceAll('"', '')));
  return (rollout) => terms.every((matches) => matches(rollout));
}

function matchTerm(term) {
  const colon = term.indexOf(':');
  const [key, value] = [term.slice(0, colon), term.slice(colon + 1)];
  if (key === 'is' && Object.hasOwn(STATES, value)) return STATES[value];
  if (Object.hasOwn(NUMBERS, key)) {
    const isIn = range(value);
    if (isIn) return (rollout) => isIn(NUMBERS[key](rollout));
  }
  const wanted = (key === 'mask' || key === 'tool' ? value : term).toLowerCase();
  const has = (part) => Boolean(part?.toLowerCase().includes(wanted));
  if (key === 'mask') return ({ mask }) => has(mask);
  if (key === 'tool') return ({ calls }) => calls.some(has);
  return ({ label, mask, calls }) => has(label) || has(mask) || calls.some(has);
}

/** `3`, `<3`, `<=3`, `>3`, `>=3`, and `1..3`. A range includes its end only if it is followed by `]`. */
function range(text) {
  const [, low, high, closed] = /^([^.]*(?:\.\d+)?)\.\.([^\]]*)(\])?$/.exec(text) ?? [];
  if (low !== undefined) {
    const [from, to] = [low === '' ? -Infinity : Number(low), high === '' ? Infinity : Number(high)];
    if (Number.isNaN(from) || Number.isNaN(to)) return undefined;
    return (number) => isNumber(number) && number >= from && (closed ? number <= to : number < to);
  }
  const [, operator, operand] = /^([<>]=?)?(-?\d.*)$/.exec(text) ?? [];
  const bound = Number(operand);
  if (operand === undefined || Number.isNaN(bound)) return undefined;
  const compare = {
    '<': (number) => number < bound,
    '<=': (number) => number <= bound,
    '>': (number) => number > bound,
    '>=': (number) => number >= bound,
  };
  const isIn = compare[operator] ?? ((number) => number === bound);
  return (number) => isNumber(number) && isIn(number);
}

function isNumber(value) {
  return value !== null && value !== undefined;
}

/** The orders that the list offers. By default, the worst rollouts are first. */
export const ORDERS = {
  best: (one, other) => other.rank - one.rank,
  tasks: (one, other) => one.task - other.task || one.file - other.file || one.line - other.line,
  longest: (one, other) => length(other) - length(one) || one.rank - other.rank,
  drop: (one, other) => one.change - other.change || one.task - other.task || one.file - other.file,
};

function length({ sequence, generated }) {
  return sequence ?? generated ?? 0;
}
