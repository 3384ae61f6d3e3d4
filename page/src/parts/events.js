/** Each transition of a job, with its time. */
import { jobPath } from '../api.js';
import { html, useEffect, useState } from '../html.js';
import { fullMoment } from '../format.js';
import { hasEnded } from '../steer.js';
import { EventStream } from '../stream.js';
import { State } from './common.js';

const SHOWN = 1_000;

export function Events({ job }) {
  const [events, setEvents] = useState([]);
  useEffect(() => {
    const stream = new EventStream(jobPath(job.number, '/events'), {
      open: () => {},
      event: event => {
        const next = JSON.parse(event.data);
        setEvents(all => (all.some(it => it.sequence === next.sequence) ? all : [...all.slice(-SHOWN), next]));
        if (hasEnded({ state: next.to })) {
          stream.end();
        }
      },
      broken: () => {},
    });
    return () => stream.end();
  }, [job.number]);
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="Events"><table>
      <thead><tr><th>When</th><th>What</th><th>State</th><th class="number">Attempt</th><th>In words</th></tr></thead>
      <tbody>${events.map(it => html`<tr key=${it.sequence}><td class="nowrap">${fullMoment(it.at)}</td><td>${it.event}</td>
        <td>${it.from && it.from !== it.to ? html`<${State} name=${it.from} /> → ` : ''}<${State} name=${it.to} /></td><td class="number">${it.attempt}</td>
        <td>${it.sentence}${it.details ? html`<pre>${it.details}</pre>` : ''}</td></tr>`)}</tbody></table></div>`;
}
