// The tasks of the static server: made once, so that serving a page is copying it and putting the numbers in place.

const DIGITS = 7;
const KINDS = 512; // other prompts, at most: a page holds fewer
const LARGEST = 32 * 2 ** 20; // bytes that all of them take, at most

/** A task's JSON, with a place for each number in it. */
class Template {
  /** Where a number goes, with the digit that it is filled up with. */
  places = [];

  constructor(kind, bytes, toolsets) {
    let text = '';
    const number = (fill) => {
      this.places.push({ at: text.length, fill });
      text += '0'.repeat(DIGITS);
    };
    text += '{"id":"@local/srv/envs/bench-v1/task-';
    number('0');
    text += '","name":"task-';
    number('0');
    text += '","index":';
    number(' ');
    text += ',"system_prompt":"You run a grid battery for one day.","agent":"solver"';
    if (toolsets > 0) text += `,"toolset":"tools-${String(kind % toolsets).padStart(2, '0')}"`;
    text += ',"prompt":"';
    this.bytes = Buffer.from(`${text}${prompt(kind, bytes - text.length - 2)}"}`);
  }

  put(page, at, index) {
    const digits = String(index);
    for (const place of this.places) {
      page.write(digits.padStart(DIGITS, place.fill), at + place.at, 'latin1');
    }
  }
}

/** Lines of a table of prices, as a JSON string spells them. */
function prompt(kind, length) {
  let text = '';
  for (let hour = 0; text.length < length; hour += 1) {
    text += `hour ${hour}: \\"${((kind * 7919 + hour * 104729) % 20000) / 100} EUR/MWh\\"\\n`;
  }
  // Never ends in the middle of an escape.
  return text.slice(0, length).replace(/\\+$/, (cut) => ' '.repeat(cut.length));
}

/** Pages of a server whose splits are as long as wanted, and whose tasks are as large. */
export class Pages {
  #templates;

  constructor(bytes, toolsets = 0) {
    const kinds = Math.min(KINDS, Math.max(1, Math.floor(LARGEST / bytes)));
    const whole = toolsets > 0 ? Math.max(1, Math.floor(kinds / toolsets)) * toolsets : kinds;
    this.#templates = Array.from({ length: whole }, (_, kind) => new Template(kind, bytes, toolsets));
  }

  /** The answer to a `task_range`. */
  page(start, stop) {
    const chosen = [];
    for (let index = start; index < stop; index += 1) chosen.push(this.#templates[index % this.#templates.length]);
    const head = '{"tasks":[';
    const size = chosen.reduce(
      (sum, { bytes }) => sum + bytes.length + 1,
      head.length + Math.max(1, 2 - chosen.length),
    );
    const page = Buffer.allocUnsafe(size);
    let at = page.write(head, 'latin1');
    for (const [offset, template] of chosen.entries()) {
      if (offset > 0) at += page.write(',', at, 'latin1');
      template.bytes.copy(page, at);
      template.put(page, at, start + offset);
      at += template.bytes.length;
    }
    at += page.write(']}', at, 'latin1');
    return page.subarray(0, at);
  }
}
