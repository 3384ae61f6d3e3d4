/** Parallel coordinates: a line for each run through its values; a range of an axis leaves those that lie in it. */
import { jobPath } from '../api.js';
import { html, useRef, useState } from '../html.js';
import { value } from '../format.js';
import { scale } from '../runs.js';
import { go } from '../route.js';

const WIDTH = 1000;
const HEIGHT = 340;
const TOP = 46;
const BOTTOM = 24;
const SIDE = 50;
const MAX_AXES = 12;

const y = share => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);

function path(run, axes) {
  const points = axes.flatMap(({ x, column, scaled }) => {
    const share = scaled.at(column.of(run));
    return share === null ? [] : [`${x.toFixed(1)},${y(share).toFixed(1)}`];
  });
  return points.length > 1 ? 'M' + points.join(' L') : '';
}

function Axis({ axis, range, brush }) {
  const { x, column, scaled } = axis;
  const drag = useRef(null);
  const share = event => {
    const svg = event.currentTarget.ownerSVGElement;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).y;
    return Math.min(1, Math.max(0, (HEIGHT - BOTTOM - at) / (HEIGHT - TOP - BOTTOM)));
  };
  const down = event => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = share(event);
  };
  const move = event => {
    if (drag.current !== null) {
      const now = share(event);
      brush(column.name, Math.abs(now - drag.current) < 0.01 ? null : [Math.min(now, drag.current), Math.max(now, drag.current)]);
    }
  };
  const up = () => { drag.current = null; };
  return html`
    <g>
      <line x1=${x} x2=${x} y1=${TOP} y2=${HEIGHT - BOTTOM} stroke="var(--line)" stroke-width="1.5" />
      <text x=${x} y="16" text-anchor="middle" fill="var(--text)" font-size="13">${column.name.slice(0, 18)}</text>
      <text x=${x} y="32" text-anchor="middle" fill="var(--dim)" font-size="11">${scaled.isNumber ? value(scaled.max) : scaled.names.at(-1).slice(0, 16)}</text>
      <text x=${x} y=${HEIGHT - 6} text-anchor="middle" fill="var(--dim)" font-size="11">${scaled.isNumber ? value(scaled.min) : scaled.names[0].slice(0, 16)}</text>
      ${range && html`<rect x=${x - 7} width="14" y=${y(range[1])} height=${Math.max(2, y(range[0]) - y(range[1]))} fill="var(--accent)" opacity=".3" />`}
      <rect x=${x - 14} width="28" y=${TOP} height=${HEIGHT - TOP - BOTTOM} fill="transparent" cursor="ns-resize"
        onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onDblClick=${() => brush(column.name, null)}>
        <title>${column.name}: drag to choose a range, double-click to take it away</title></rect>
    </g>`;
}

/** Whether a run lies in all ranges. */
export function isChosen(run, columns, ranges, all) {
  return columns.every(column => {
    const range = ranges[column.name];
    const share = range ? scale(column, all).at(column.of(run)) : null;
    return !range || (share !== null && share >= range[0] && share <= range[1]);
  });
}

export function Parallel({ all, columns, ranges, brush }) {
  const [over, setOver] = useState(null);
  const shown = columns.slice(0, MAX_AXES);
  const step = shown.length > 1 ? (WIDTH - 2 * SIDE) / (shown.length - 1) : 0;
  const axes = shown.map((column, at) => ({ x: SIDE + at * step, column, scaled: scale(column, all) }));
  const last = axes.at(-1);
  return html`
    <div class="scroll"><svg class="parallel" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${`Parallel coordinates of ${all.length} runs over ${shown.map(it => it.name).join(', ')}; the table below has the same values`}>
      ${all.map(run => {
        const chosen = isChosen(run, columns, ranges, all);
        const share = last.scaled.at(last.column.of(run)) ?? 0.5;
        return html`<path key=${run.number} d=${path(run, axes)} fill="none" stroke=${chosen ? `hsl(${210 + share * 150} 65% 55%)` : 'var(--line)'}
          stroke-width=${over === run.number ? 4 : 1.6} opacity=${chosen ? 0.85 : 0.35} cursor="pointer" onMouseEnter=${() => setOver(run.number)} onMouseLeave=${() => setOver(null)}
          onClick=${() => go(jobPath(run.number))}><title>job ${run.number}</title></path>`;
      })}
      ${axes.map(axis => html`<${Axis} key=${axis.column.name} axis=${axis} range=${ranges[axis.column.name]} brush=${brush} />`)}
    </svg></div>`;
}
