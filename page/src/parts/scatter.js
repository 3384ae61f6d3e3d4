/** One value against another, a point for each run. */
import { jobPath } from '../api.js';
import { html } from '../html.js';
import { value } from '../format.js';
import { scale } from '../runs.js';
import { go } from '../route.js';

const WIDTH = 460;
const HEIGHT = 260;
const SIDE = 84;

export function Scatter({ all, across, up }) {
  const xs = scale(across, all);
  const ys = scale(up, all);
  const ends = scaled => (scaled.isNumber ? [value(scaled.min), value(scaled.max)] : [scaled.names[0], scaled.names.at(-1)]);
  const points = all.flatMap(run => {
    const x = xs.at(across.of(run));
    const y = ys.at(up.of(run));
    return x === null || y === null ? [] : [{ run, x: SIDE + x * (WIDTH - SIDE - 16), y: 12 + (1 - y) * (HEIGHT - 46) }];
  });
  return html`
    <svg class="parallel" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${`${up.name} over ${across.name} of ${points.length} runs`}>
      <path d=${`M${SIDE - 8},8 V${HEIGHT - 28} H${WIDTH - 8}`} fill="none" stroke="var(--line)" />
      <g fill="var(--dim)" font-size="11">
        <text x=${SIDE} y=${HEIGHT - 14}>${ends(xs)[0]}</text><text x=${WIDTH - 12} y=${HEIGHT - 14} text-anchor="end">${ends(xs)[1]}</text>
        <text x=${SIDE - 12} y=${HEIGHT - 32} text-anchor="end">${ends(ys)[0]}</text><text x=${SIDE - 12} y="18" text-anchor="end">${ends(ys)[1]}</text>
        <text x=${(WIDTH + SIDE) / 2} y=${HEIGHT - 2} text-anchor="middle" fill="var(--text)">${across.name}</text>
      </g>
      ${points.map(({ run, x, y }) => html`<circle key=${run.number} cx=${x} cy=${y} r="5" fill="var(--bar)" opacity=".75" cursor="pointer" onClick=${() => go(jobPath(run.number))}>
        <title>${`job ${run.number}: ${across.name} ${value(across.of(run))}, ${up.name} ${value(up.of(run))}`}</title></circle>`)}
    </svg>`;
}
