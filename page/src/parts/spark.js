/** A curve without axes. */
import { html } from '../html.js';

const WIDTH = 600;
const HEIGHT = 36;

export function Spark({ values, max, label }) {
  const x = index => ((index / (values.length - 1)) * WIDTH).toFixed(1);
  const y = value => (HEIGHT - 1 - (Math.min(max, value) / max) * (HEIGHT - 2)).toFixed(1);
  const line = values.flatMap((value, index) => (value === null ? [] : [`${x(index)},${y(value)}`]));
  return html`<svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${label}><title>${label}</title>
    ${line.length > 1 && html`<path class="use" d=${'M' + line.join(' L')} />`}</svg>`;
}
