import { formatReward } from '../../src/report/reward-text.ts';

let hidden = /$^/u;

/** @param {string} source of a regular expression for hidden characters, which gymgen has in one place */
export function hideCharacters(source) {
  hidden = new RegExp(source, 'gu');
}

/** Shows invisible characters, and those that change the direction of a line, as escapes such as `\u202e`. */
function visible(text) {
  return text.replace(hidden, (character) => {
    const hex = character.codePointAt(0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/**
 * Creates an element. Strings become visible text, never markup.
 * @param {string} name tag, with classes: `div.note`
 * @param {Record<string, unknown>} [attributes] `undefined` and `false` leave an attribute out
 * @param {...(Node | string | number | undefined)} children
 */
export function element(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value !== undefined && value !== false)
      node.setAttribute(key, value === true ? '' : visible(String(value)));
  }
  for (const child of children)
    if (child !== undefined) node.append(child instanceof Node ? child : visible(String(child)));
  return node;
}

const COUNT = new Intl.NumberFormat('en');

/** A whole number with commas. */
export function count(number) {
  return COUNT.format(number);
}

/** `1 call`, `2 calls` */
export function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A reward; a dash if there is none. */
export function reward(number) {
  return number === null || number === undefined ? '–' : formatReward(number);
}

/** The value of a custom property of the style sheet, which depends on the color scheme. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
