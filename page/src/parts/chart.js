/** Curves with axes, by uPlot. Its styles are set by script, which the page's policy allows. */
import uPlot from 'uplot';
import { html, useEffect, useRef } from '../html.js';
import { value } from '../format.js';

const HEIGHT = 220;
export const COLOURS = ['#2f7bd9', '#d9822f', '#3c9d5b', '#b0499b', '#c94b4b', '#7a6ad8', '#8a7a2f', '#2f9fa3'];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** An exponential mean, as in other tools: 0 leaves the values, 0.99 is very smooth. */
export function smoothed(values, weight) {
  if (weight === 0) {
    return values;
  }
  let mean = 0;
  let seen = 0;
  return values.map(it => {
    if (it === null) {
      return null;
    }
    mean = mean * weight + it * (1 - weight);
    seen++;
    return mean / (1 - weight ** seen);
  });
}

/** Joins several curves `[{label, xs, ys}]` to what uPlot draws: one list of x, and of each curve a list of y. */
export function joined(curves) {
  if (curves.length === 1) {
    return [curves[0].xs, curves[0].ys];
  }
  return uPlot.join(curves.map(it => [it.xs, it.ys]));
}

function options({ curves, isLog, isTime, width }) {
  const axis = { stroke: colour('--dim'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
  return {
    width, height: HEIGHT, cursor: { drag: { x: true, y: false } },
    scales: { x: { time: Boolean(isTime) }, y: { distr: isLog ? 3 : 1 } },
    axes: [axis, { ...axis, size: 64, values: (_, ticks) => ticks.map(it => (it === null ? '' : value(it))) }],
    series: [{ label: isTime ? 'time' : 'step', value: isTime ? undefined : (_, it) => it ?? '' },
      ...curves.map((curve, at) => ({
        label: curve.label, stroke: COLOURS[at % COLOURS.length], width: 1.5, spanGaps: true, points: { show: curve.xs.length < 3 },
        value: (_, it) => (it === null || it === undefined ? '' : value(it)),
      }))],
    legend: { show: curves.length > 1, live: true },
  };
}

/** Draws curves `[{label, xs, ys}]`, with the names of their jobs below them where there are several. */
export function Chart({ curves, isLog, isTime, label }) {
  const place = useRef(null);
  const plot = useRef(null);
  const shape = [curves.map(it => it.label).join('|'), isLog, isTime].join();
  const data = () => joined(curves.map(it => ({ ...it, ys: isLog ? it.ys.map(y => (y > 0 ? y : null)) : it.ys })));
  useEffect(() => {
    plot.current = new uPlot(options({ curves, isLog, isTime, width: place.current.clientWidth }), data(), place.current);
    const observer = new ResizeObserver(() => plot.current.setSize({ width: place.current.clientWidth, height: HEIGHT }));
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      plot.current.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data()), [curves]);
  return html`<div ref=${place} role="img" aria-label=${label}></div>`;
}
