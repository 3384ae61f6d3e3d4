/** The filters over the table of jobs; each is a part of the address. */
import { html, useEffect, useState } from '../html.js';

const STATES = ['QUEUED', 'HELD', 'STARTING', 'RUNNING', 'STOPPING', 'COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY', 'LOST', 'CANCELLED'];
const SCOPES = [['all', 'All'], ['active', 'Not ended'], ['ended', 'Ended']];
const PAUSE = 300;

/** A text field that tells of its value once nobody types any more. */
function Field({ name, label, hint, view, change, focus, wide }) {
  const [text, setText] = useState(view.get(name) ?? '');
  const kept = view.get(name) ?? '';
  useEffect(() => setText(kept), [kept]);
  useEffect(() => {
    const timer = setTimeout(() => text !== kept && change({ [name]: text }), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<input type="search" class=${wide ? 'grow' : ''} ref=${focus} value=${text} placeholder=${hint} aria-label=${label}
    size=${wide ? 24 : 12} spellcheck="false" onInput=${event => setText(event.target.value)} />`;
}

export function Filters({ view, change, focus }) {
  const scope = view.get('scope') ?? 'all';
  return html`
    <form class="bar" role="search" aria-label="Filter jobs" onSubmit=${event => event.preventDefault()}>
      ${SCOPES.map(([value, word]) => html`<button type="button" key=${value} aria-pressed=${scope === value}
        onClick=${() => change({ scope: value === 'all' ? null : value })}>${word}</button>`)}
      <select aria-label="State" value=${view.get('state') ?? ''} onChange=${event => change({ state: event.target.value })}>
        <option value="">any state</option>${STATES.map(name => html`<option key=${name}>${name}</option>`)}
      </select>
      <${Field} name="text" label="Text in number, name, project or tag" hint="text ( / )" focus=${focus} view=${view} change=${change} wide />
      <${Field} name="project" label="Project" hint="project" view=${view} change=${change} />
      <${Field} name="user" label="User" hint="user" view=${view} change=${change} />
      <${Field} name="tag" label="Tag" hint="tag" view=${view} change=${change} />
      <${Field} name="columns" label="Columns for parameters and metrics" hint="columns: lr,acc" view=${view} change=${change} />
      <${Field} name="where" label="Condition on parameters and metrics" hint="acc > 0.9 and lr = 0.01" view=${view} change=${change} wide />
      <${Field} name="array" label="Tasks of an array" hint="tasks of array" view=${view} change=${change} />
      ${[...view.keys()].length > 0 && html`<a href="/jobs">Clear</a>`}
    </form>`;
}
