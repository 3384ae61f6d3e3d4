/** Questions before something is done, and what the server answered afterwards. */
import { html, useEffect, useRef, useState } from '../html.js';

const SHOWN_FOR = 8_000;
let ask = () => {};
let say = () => {};

/**
 * Asks before something is done. `question` has `title`, `text`, `action` (the button's word), `isDangerous`, `fields`
 * ([{name, label, value, required}]), and `command`, the command line that does the same.
 * Resolves to the values of the fields, or null where it is not to be done.
 */
export function question(what) {
  return new Promise(resolve => ask({ ...what, resolve }));
}

/** Shows a sentence for a while; those of errors until they are taken away. */
export function answer(text, { isBad = false } = {}) {
  say({ text, isBad, id: Math.random() });
}

/** The place of both in the page. */
export function Dialogs() {
  const [asked, setAsked] = useState(null);
  const [answers, setAnswers] = useState([]);
  useEffect(() => {
    ask = setAsked;
    say = next => {
      setAnswers(all => [...all.slice(-4), next]);
      if (!next.isBad) {
        setTimeout(() => setAnswers(all => all.filter(it => it.id !== next.id)), SHOWN_FOR);
      }
    };
  }, []);
  return html`
    ${asked && html`<${Question} key=${asked.title} asked=${asked} close=${() => setAsked(null)} />`}
    <div class="answers" role="status" aria-live="polite">
      ${answers.map(it => html`
        <div class=${'answer' + (it.isBad ? ' bad' : '')} key=${it.id}>
          ${it.text} <button class="link" aria-label="Dismiss"
            onClick=${() => setAnswers(all => all.filter(other => other.id !== it.id))}>✕</button>
        </div>`)}
    </div>`;
}

function Question({ asked, close }) {
  const dialog = useRef(null);
  const [values, setValues] = useState(() => Object.fromEntries((asked.fields ?? []).map(f => [f.name, f.value ?? ''])));
  useEffect(() => dialog.current.showModal(), []);
  const end = result => {
    close();
    asked.resolve(result);
  };
  const isMissing = (asked.fields ?? []).some(f => f.required && values[f.name].trim() === '');
  return html`
    <dialog ref=${dialog} aria-labelledby="question" onCancel=${() => end(null)}>
      <form method="dialog" onSubmit=${event => { event.preventDefault(); end(values); }}>
        <h2 id="question">${asked.title}</h2>
        <p>${asked.text}</p>
        ${(asked.fields ?? []).map(field => html`
          <label key=${field.name}>${field.label}
            ${field.lines
              ? html`<textarea rows=${field.lines} value=${values[field.name]}
                  onInput=${e => setValues({ ...values, [field.name]: e.target.value })}></textarea>`
              : html`<input type="text" value=${values[field.name]} placeholder=${field.hint ?? ''}
                  onInput=${e => setValues({ ...values, [field.name]: e.target.value })} />`}
          </label>`)}
        ${asked.command && html`<p class="dim">The same on the command line:</p><pre>${asked.command}</pre>`}
        <div class="bar">
          <button type="button" onClick=${() => end(null)}>Leave it</button>
          <button type="submit" class=${asked.isDangerous ? 'danger' : 'primary'} disabled=${isMissing}>${asked.action}</button>
        </div>
      </form>
    </dialog>`;
}
