/** The small shapes that all pages are made of. */
import { jobPath } from '../api.js';
import { html } from '../html.js';
import { fullMoment, moment } from '../format.js';

/** A job's state, in the words of the command line. */
export function State({ name }) {
  return html`<span class="state ${name}">${name}</span>`;
}

/** A moment in the viewer's zone, with all of it on hovering. */
export function Moment({ at }) {
  return at ? html`<time dateTime=${at} title=${fullMoment(at)} class="nowrap">${moment(at)}</time>` : null;
}

/** Text of a user's: kept from changing the direction of what stands around it. */
export function Plain({ text }) {
  return html`<bdi class="plain-name">${text}</bdi>`;
}

/** A link to a job by the number that people call it. */
export function JobLink({ number, children }) {
  return html`<a href=${jobPath(number)}>${children ?? number}</a>`;
}

/** What could not be loaded, and the way to try again. */
export function Failure({ error, retry }) {
  if (!error) {
    return null;
  }
  return html`<p class="banner bad" role="alert">${error.message}
    ${retry && html` <button onClick=${retry}>Try again</button>`}</p>`;
}

/** A list that has nothing in it, and what to do about that. */
export function Empty({ children, command }) {
  return html`<p class="empty">${children}${command && html`<code>${command}</code>`}</p>`;
}

/** How far a job is. */
export function Progress({ progress }) {
  if (!progress || !(progress.of > 0)) {
    return null;
  }
  const share = Math.min(1, Math.max(0, progress.value / progress.of));
  const words = Math.round(share * 100) + ' %' + (progress.unit ? ` (${progress.value} of ${progress.of} ${progress.unit})` : '');
  return html`<progress max="1" value=${share} title=${words} aria-label=${'Progress: ' + words}></progress>`;
}
