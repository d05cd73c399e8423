// Synthetic rollouts of gridsim, in NeMo Gym's format. The same numbers give the same rollouts.

const HOURS = 24;
const SYSTEM = `You run a grid battery for one day. You are given the day's 24 hourly prices in EUR/MWh and the battery.
Plan one action an hour: 1 charges 1 MWh at that hour's price, -1 sells 1 MWh, 0 does nothing. The battery starts empty \
and holds at most capacity_mwh; a sold MWh is paid efficiency_percent of the price; what is left at midnight is worth \
nothing. You may not charge a full battery or sell from an empty one.
Call submit_schedule with your 24 actions to earn as much as you can, then call end_turn.`;

const TOOLS = [
  {
    type: 'function',
    name: 'submit_schedule',
    description: "Submit the day's plan: 24 integers, one an hour. 1 charges 1 MWh, -1 sells 1 MWh, 0 idles.",
    parameters: {
      type: 'object',
      properties: { schedule: { type: 'array', items: { type: 'integer', enum: [-1, 0, 1] } } },
      required: ['schedule'],
    },
    strict: false,
  },
  {
    type: 'function',
    name: 'end_turn',
    description: 'End the day.',
    parameters: { type: 'object', properties: {} },
    strict: false,
  },
];

const MASKS = [
  ['session_lost', 'the environment dropped the session after 1 call'],
  ['transport_timeout', 'the tool call took longer than 60 s'],
  ['openenv:episode_failed', 'the environment reported: market feed is closed'],
  ['provider_unavailable', 'no free session within 600 s'],
];

/** A generator of numbers from 0 to 1 (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * One rollout.
 * @param number of the task
 * @param repeat number of the rollout of this task
 * @param skill from 0 to 1: how well the model trades
 * @param faults share of rollouts that are masked
 * @param tokenIds whether a model server for training added them
 */
export function rollout(number, { repeat = 0, skill = 0.4, faults = 0, tokenIds = true } = {}) {
  const price = random(number + 1);
  const next = random(number * 7919 + repeat * 104_729 + Math.round(skill * 1000));
  const prices = Array.from({ length: HOURS }, (_, hour) => {
    return Math.round(4500 + 2500 * Math.sin((hour - 8) / 3.8) + 3000 * price()) / 100;
  });
  const day = `day-${String(number).padStart(5, '0')}`;
  const battery = { capacity_mwh: 2 + Math.floor(price() * 4), efficiency_percent: 85 + Math.floor(price() * 12) };
  const prompt = JSON.stringify({ task_id: day, market: 'Northgrid day-ahead', currency: 'EUR', prices, battery });
  const mask = next() < faults ? MASKS[Math.floor(next() ** 2 * MASKS.length)] : undefined;
  const items = played(next, skill, prices, battery, mask !== undefined);
  const reward = mask ? 0 : items.reward;
  return {
    responses_create_params: {
      input: [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: prompt },
      ],
      tools: TOOLS,
    },
    agent_ref: { type: 'responses_api_agents', name: 'gridsim_v1_simple_agent' },
    split: 'eval',
    index: number,
    task_id: `@local/gridsim-v1/${day}`,
    _ng_task_index: number,
    _ng_rollout_index: repeat,
    reward,
    ...(mask ? {} : { scores: { profit: reward }, reward_components: { profit: reward } }),
    mask_sample: mask !== undefined,
    failure_kind: mask?.[0] ?? null,
    failure_reason: mask?.[1] ?? null,
    ...(mask ? { instance_config: { mask_sample: true } } : {}),
    response: {
      id: `resp_${number}_${repeat}`,
      object: 'response',
      status: 'completed',
      model: 'policy',
      output: tokenIds ? withTokenIds(items.output, next) : items.output,
    },
  };
}

/** The output of the model and of the tools, and the reward. */
function played(next, skill, prices, battery, isFault) {
  const output = [];
  const think = (text) =>
    output.push({ type: 'reasoning', id: `rs_${output.length}`, summary: [{ type: 'summary_text', text }] });
  const call = (name, args, answer) => {
    const id = `call_${output.length}`;
    output.push({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(args), status: 'completed' });
    if (!isFault || next() < 0.5) output.push({ type: 'function_call_output', call_id: id, output: answer });
  };
  const say = (text) =>
    output.push({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    });
  if (next() > 0.55 + 0.4 * skill) {
    say(next() < 0.5 ? 'I would rather not trade today.' : 'The best plan is to charge at night and to sell at noon.');
    return { output, reward: 0 };
  }
  if (next() < 0.5)
    think(
      `The cheapest hour has ${Math.min(...prices)} EUR, and the dearest ${Math.max(...prices)} EUR. Charge first, then sell.`,
    );
  if (next() < 0.2) call('get_weather', { city: 'Oslo' }, "refused: there is no tool 'get_weather'");
  if (next() < 0.3)
    call(
      'submit_schedule',
      { schedule: [1, 0, -1] },
      'refused: schedule has 3 entries; send {"schedule": [...]} with 24 integers, each -1, 0 or 1',
    );
  const schedule = scheduleOf(prices, battery);
  const isGood = next() < skill;
  const sent = isGood ? schedule : next() < 0.5 ? Array(HOURS).fill(0) : [...schedule].reverse();
  const reward = isGood ? 0.55 + 0.42 * next() : sent.some((action) => action !== 0) ? 0 : 0.12 + 0.14 * next();
  const hours = sent.flatMap((action, hour) =>
    action === 0 ? [] : [{ hour, action: action > 0 ? 'charge' : 'sell', price: prices[hour] }],
  );
  call(
    'submit_schedule',
    { schedule: sent },
    JSON.stringify({ accepted: true, trades: hours, profit: Math.round(reward * 10_000) / 100 }),
  );
  if (next() < 0.7) call('end_turn', { response: 'done' }, 'The day is over.');
  else say('That is my plan.');
  return { output, reward: Math.round(reward * 1e6) / 1e6 };
}

function scheduleOf(prices, { capacity_mwh: capacity }) {
  const byPrice = prices.map((_, hour) => hour).sort((one, other) => prices[one] - prices[other]);
  const charge = byPrice.filter((hour) => hour < 12).slice(0, capacity);
  const sell = byPrice.filter((hour) => hour >= 12).slice(-capacity);
  return prices.map((_, hour) => (charge.includes(hour) ? 1 : sell.includes(hour) ? -1 : 0));
}

/** Adds the token ids to the last item of each turn: those of the prompt so far, and the generated ones. */
function withTokenIds(output, next) {
  let prompt = 1480 + Math.floor(next() * 60);
  return output.map((item, at) => {
    const following = output[at + 1];
    const isLast =
      item.type !== 'function_call_output' && (following === undefined || following.type === 'function_call_output');
    if (!isLast) return item;
    const generated = 30 + Math.floor(next() * 140);
    const ids = (length) => Array.from({ length }, (_, id) => 100 + ((id * 7919) % 150_000));
    const more = {
      prompt_token_ids: ids(prompt),
      generation_token_ids: ids(generated),
      generation_log_probs: ids(generated).map((id) => -id / 1e6),
    };
    prompt += generated + 20;
    return { ...item, ...more };
  });
}

/** Lines of a rollouts.jsonl, in a mixed order, as rollouts end. @param options `tasks` is not a multiple of 37 */
export function* rolloutLines({ tasks, repeats = 1, ...options }) {
  for (let at = 0; at < tasks; at += 1) {
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      yield `${JSON.stringify(rollout((at * 37) % tasks, { ...options, repeat }))}\n`;
    }
  }
}
