// The tasks of the static server. They are prepared once, so that serving a page means copying it and filling in the
// numbers.

const DIGITS = 7;
const KINDS = 512; // maximum number of different prompts; a page has fewer
const LARGEST = 32 * 2 ** 20; // maximum bytes of all of them

/** A task's JSON, with placeholders for its numbers. */
class Template {
  /** The positions of the numbers, with the padding character of each. */
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

/** A table of prices, as JSON string content. */
function prompt(kind, length) {
  let text = '';
  for (let hour = 0; text.length < length; hour += 1) {
    text += `hour ${hour}: \\"${((kind * 7919 + hour * 104729) % 20000) / 100} EUR/MWh\\"\\n`;
  }
  // Don't end in the middle of an escape.
  return text.slice(0, length).replace(/\\+$/, (cut) => ' '.repeat(cut.length));
}

/** Pages of tasks of a given size. */
export class Pages {
  #templates;

  constructor(bytes, toolsets = 0) {
    const kinds = Math.min(KINDS, Math.max(1, Math.floor(LARGEST / bytes)));
    const whole = toolsets > 0 ? Math.max(1, Math.floor(kinds / toolsets)) * toolsets : kinds;
    this.#templates = Array.from({ length: whole }, (_, kind) => new Template(kind, bytes, toolsets));
  }

  /** The response to a `task_range` request. */
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
