// Histograms and the rewards by task, drawn by uPlot.

import uPlot from 'uplot';
import { colour, count, element, plural, reward } from './dom.js';

const FONT = '12px system-ui, sans-serif';
const HEIGHT = 150;
const TASKS_HEIGHT = 220;
/** Maximum distance in pixels between the pointer and a point that it selects. */
const NEAR = 14;

/** Distances of ticks on an axis of counts. */
const WHOLE = [0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((factor) => factor * 10 ** power));

const AXIS = {
  stroke: () => colour('soft'),
  font: FONT,
  grid: { show: false },
  ticks: { show: false },
};

/** Draws a chart, and again when its width or the color scheme changes. */
function draw(section, height, data, options) {
  const plot = section.querySelector('.plot');
  const size = () => ({ width: Math.max(200, plot.clientWidth), height });
  const chart = new uPlot(
    {
      ...size(),
      legend: { show: false },
      cursor: { points: { show: false }, y: false, drag: { x: false, y: false } },
      ...options,
    },
    data,
    plot,
  );
  new ResizeObserver(() => {
    if (plot.clientWidth > 0 && Math.abs(plot.clientWidth - chart.width) > 1) chart.setSize(size());
  }).observe(plot);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.redraw(false));
  return chart;
}

/**
 * Draws how often values occur: bars for one file, outlines for several.
 * @param {HTMLElement} section
 * @param {{ start: number, step: number, series: number[][], limit?: number, whole: boolean, unit: string }} bins
 * @param {(low: number, high: number, isLast: boolean) => void} choose is called with the edges of the bin that is clicked
 */
export function histogram(section, { start, step, series, limit, whole, unit }, choose) {
  const bins = series[0].length;
  const edges = Array.from({ length: bins + 1 }, (_, at) => start + at * step);
  const isSingle = series.length === 1;
  const last = (counts) => [...counts, isSingle ? null : counts.at(-1)];
  const most = Math.max(1, ...series.flat());
  const note = section.querySelector('.note');
  const about = note.textContent;
  const binAt = (left) => Math.min(bins - 1, Math.max(0, Math.floor((chart.posToVal(left, 'x') - start) / step)));
  const chart = draw(section, HEIGHT, [edges, ...series.map(last)], {
    padding: [8, 18, 0, 0],
    scales: { x: { time: false, range: [edges[0], edges.at(-1)] }, y: { range: [0, most * 1.05] } },
    axes: [
      { ...AXIS, size: 24, gap: 4, ...(whole ? { incrs: WHOLE } : {}), values: (_, ticks) => ticks.map(edge) },
      { ...AXIS, size: 40, gap: 6, space: 32, incrs: WHOLE, values: (_, ticks) => ticks.map(count) },
    ],
    series: [{}, ...series.map((_, at) => shape(at, isSingle))],
    hooks: {
      draw: [(self) => limit !== undefined && drawLimit(self, limit)],
      setCursor: [
        ({ cursor }) => {
          note.textContent = cursor.left < 0 ? about : describeBin(binAt(cursor.left));
        },
      ],
    },
  });
  const describeBin = (bin) => {
    const counts = series.map((each) => count(each[bin])).join(' and ');
    return `${edge(edges[bin])} to ${edge(edges[bin + 1])}: ${isSingle ? plural(series[0][bin], unit) : `${counts} ${unit}s`}`;
  };
  chart.over.addEventListener('click', () => {
    const bin = binAt(chart.cursor.left);
    choose(edges[bin], edges[bin + 1], bin === bins - 1);
  });
}

function shape(at, isSingle) {
  const line = () => colour(`series-${at}`);
  if (isSingle)
    return { fill: line, width: 0, points: { show: false }, paths: uPlot.paths.bars({ align: 1, size: [1], gap: 2 }) };
  const fill = () => `${line()}22`; // the colors are #rrggbb
  return { stroke: line, fill, width: 1.5, points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) };
}

/** The edge of a bin without the noise of binary fractions. */
function edge(number) {
  const rounded = Number(number.toPrecision(10));
  return Math.abs(rounded) >= 1e4 && Number.isInteger(rounded) ? count(rounded) : String(rounded);
}

function drawLimit({ ctx, bbox, valToPos }, limit) {
  const x = Math.round(valToPos(limit, 'x', true));
  ctx.save();
  ctx.strokeStyle = colour('bad');
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/**
 * Draws a point for each rollout, by task; masked rollouts are crosses below.
 * @param {(rollout: object) => void} open is called with the rollout whose point is clicked
 */
export function rewardsByTask(section, rollouts, tasks, open) {
  const scored = rollouts.filter(({ mask, reward }) => mask === undefined && reward !== null);
  const rewards = scored.map(({ reward }) => reward);
  const least = rewards.reduce((low, each) => Math.min(low, each), 0);
  const most = rewards.reduce((high, each) => Math.max(high, each), 1);
  const pad = (most - least) * 0.06;
  const masked = rollouts.length > scored.length ? least - 2.4 * pad : least;
  const shown = [...rollouts].reverse(); // the worst on top
  const places = shown.map(() => [0, 0]);
  const tip = element('div.tip', { hidden: true });
  const chart = draw(
    section,
    TASKS_HEIGHT,
    [
      [0, Math.max(1, tasks - 1)],
      [null, null],
    ],
    {
      padding: [8, 18, 0, 0],
      scales: { x: { time: false, range: [-1, tasks] }, y: { range: [masked - pad, most + pad] } },
      axes: [
        {
          ...AXIS,
          size: 24,
          gap: 4,
          incrs: WHOLE,
          values: (_, ticks) => ticks.map((tick) => (tick >= 0 && tick < tasks ? count(tick) : '')),
        },
        {
          ...AXIS,
          size: 40,
          gap: 6,
          grid: { stroke: () => colour('line'), width: 1 },
          filter: (_, ticks) => ticks.map((tick) => (tick >= least - 1e-9 && tick <= most + 1e-9 ? tick : null)),
        },
      ],
      series: [{}, { points: { show: false } }],
      hooks: { draw: [drawPoints], setCursor: [({ cursor }) => point(cursor.left, cursor.top)] },
    },
  );
  chart.over.append(tip);
  let near;
  chart.over.addEventListener('click', () => near && open(near));

  function drawPoints({ ctx, valToPos }) {
    const ratio = devicePixelRatio;
    const radius = (rollouts.length > 2000 ? 2 : 3.5) * ratio;
    ctx.save();
    ctx.globalAlpha = rollouts.length > 2000 ? 0.5 : 0.8;
    ctx.lineWidth = 1.5 * ratio;
    const colours = [0, 1, 2, 3, 4, 5].map((at) => colour(`series-${at}`));
    ctx.strokeStyle = colour('bad');
    shown.forEach((rollout, at) => {
      const isScored = rollout.mask === undefined && rollout.reward !== null;
      const x = valToPos(rollout.task, 'x', true);
      const y = valToPos(isScored ? rollout.reward : masked, 'y', true);
      places[at][0] = x / ratio;
      places[at][1] = y / ratio;
      ctx.beginPath();
      if (isScored) {
        ctx.fillStyle = colours[rollout.file];
        ctx.arc(x, y, radius, 0, 2 * Math.PI);
        ctx.fill();
      } else {
        for (const slope of [1, -1]) {
          ctx.moveTo(x - radius, y - slope * radius);
          ctx.lineTo(x + radius, y + slope * radius);
        }
        ctx.stroke();
      }
    });
    ctx.restore();
  }

  function point(left, top) {
    near = undefined;
    let nearest = left < 0 ? 0 : NEAR ** 2;
    const [x, y] = [left + chart.bbox.left / devicePixelRatio, top + chart.bbox.top / devicePixelRatio];
    for (let at = 0; at < places.length; at += 1) {
      const distance = (places[at][0] - x) ** 2 + (places[at][1] - y) ** 2;
      if (distance <= nearest) {
        nearest = distance;
        near = shown[at];
      }
    }
    chart.over.style.cursor = near ? 'pointer' : '';
    tip.hidden = !near;
    if (!near) return;
    tip.replaceChildren(
      element('b', {}, near.mask === undefined ? reward(near.reward) : near.mask),
      element('span', {}, ` ${near.label}`),
    );
    const width = chart.over.clientWidth;
    tip.style.left = `${Math.min(left, Math.max(0, width - 260))}px`;
    tip.style.top = `${top + 14}px`;
  }
}
