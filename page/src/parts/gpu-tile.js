/** A GPU: who holds it, what it does, and what it did in the last hour. */
import { html } from '../html.js';
import { duration, gpus, mebibytes, relative } from '../format.js';
import { drain, resume } from '../steer.js';
import { JobLink, Plain } from './common.js';

const WIDTH = 240;
const HEIGHT = 36;

/** The curves of utilisation (a line) and memory (an area) over a list of minutes. */
function Curve({ history, memoryMiB }) {
  const use = history?.utilisationPercent ?? [];
  if (use.length < 2) {
    return html`<svg class="curve" role="img" aria-label="No history yet"></svg>`;
  }
  const x = index => (index / (use.length - 1)) * WIDTH;
  const y = share => HEIGHT - Math.min(1, Math.max(0, share)) * (HEIGHT - 2) - 1;
  const line = points(use, value => value / 100, x, y);
  const memory = memoryMiB > 0 ? points(history.memoryUsedMiB, value => value / memoryMiB, x, y) : [];
  const known = use.filter(value => value !== null);
  const mean = known.length === 0 ? 0 : Math.round(known.reduce((sum, value) => sum + value, 0) / known.length);
  const words = `${mean} % used on average over the last ${duration(use.length * history.stepSeconds)}`;
  return html`
    <svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${words}>
      <title>${words}</title>
      ${memory.length > 1 && html`<path class="memory" d=${`M${memory[0][0]},${HEIGHT} L${memory.join(' L')} L${memory.at(-1)[0]},${HEIGHT} Z`} />`}
      ${line.length > 1 && html`<path class="use" d=${'M' + line.join(' L')} />`}
    </svg>`;
}

function points(values, share, x, y) {
  return values.flatMap((value, index) => (value === null ? [] : [[x(index).toFixed(1), y(share(value)).toFixed(1)]]));
}

function Holder({ holder, gpu }) {
  const part = holder.milli < 1000 ? ` (${gpus(holder.milli)})` : '';
  return html`<span class="nowrap"><${JobLink} number=${holder.number}>job ${holder.number}<//>${part} ${holder.user}${
    holder.memoryMiB !== null && gpu.shares > 1 ? ', ' + mebibytes(holder.memoryMiB) : ''}</span>`;
}

function use(gpu) {
  if (gpu.holders.length > 0) {
    return html`<div class="chips">${gpu.holders.map(it => html`<${Holder} key=${it.number} holder=${it} gpu=${gpu} />`)}</div>`;
  }
  return html`<span class="dim">${gpu.drain || gpu.obstacle ? 'not allocated' : gpu.cleaning ? 'being cleaned' : 'free'}</span>`;
}

/** One tile; `canSteer` shows the buttons of administrators. */
export function GpuTile({ gpu, history, canSteer, refresh }) {
  const reading = gpu.reading;
  const foreign = gpu.processes.filter(process => process.job === null);
  const isOut = Boolean(gpu.drain || gpu.obstacle);
  return html`
    <article class=${'tile' + (isOut ? ' out' : gpu.holders.length > 0 ? ' busy' : '')} aria-label=${'GPU ' + gpu.index}>
      <header><b>${gpu.index}</b><span class="name" title=${gpu.uuid}>${gpu.name}${gpu.labels.length > 0 ? ' · ' + gpu.labels.join(', ') : ''}</span>
        ${canSteer && (gpu.drain
          ? html`<button onClick=${() => resume(gpu).then(refresh)}>Resume</button>`
          : html`<button onClick=${() => drain(gpu).then(refresh)}>Drain</button>`)}
      </header>
      ${use(gpu)}
      ${gpu.drain && html`<div class="note warn">Drained by ${gpu.drain.by} ${relative(gpu.drain.since)}: <${Plain} text=${gpu.drain.reason} /></div>`}
      ${gpu.obstacle && html`<div class="note warn">${gpu.obstacle}</div>`}
      ${gpu.cleaningNumber && html`<div class="note dim">Job ${gpu.cleaningNumber} has left it; what it may have left behind is looked for.</div>`}
      <${Curve} history=${history} memoryMiB=${gpu.memoryMiB} />
      <dl class="figures">
        <dt>use</dt><dd>${known(reading?.utilisationPercent, ' %')}</dd>
        <dt>memory</dt><dd>${reading?.memoryUsedMiB === null || !reading ? '–' : memory(reading.memoryUsedMiB, gpu.memoryMiB)}</dd>
        <dt>heat</dt><dd>${known(reading?.temperatureCelsius, ' °C')}</dd>
        <dt>power</dt><dd>${known(reading?.powerWatts, ' W')}</dd>
      </dl>
      ${foreign.length > 0 && html`<div class="note warn">Not Berth's: ${foreign.slice(0, 4).map(it => `${it.command || "process"} (${it.pid}) of ${it.user}${it.memoryMiB ? ", " + mebibytes(it.memoryMiB) : ""}`).join(', ')}${foreign.length > 4 ? ' and ' + (foreign.length - 4) + ' more' : ''}</div>`}
    </article>`;
}

function known(value, unit) {
  return value === null || value === undefined ? '–' : value + unit;
}

/** How much of a GPU's memory is used, the unit said once where it is the same. */
function memory(used, all) {
  if (!(all > 0)) {
    return mebibytes(used);
  }
  const [number, unit] = mebibytes(used).split(' ');
  const whole = mebibytes(all);
  return (whole.endsWith(' ' + unit) ? number : number + ' ' + unit) + ' / ' + whole;
}
