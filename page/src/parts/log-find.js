/** The search in a log: a field, how many lines have the text, and the way from one to the next. */
import { html, useEffect, useState } from '../html.js';
import { searchLog } from '../log-search.js';

const PAUSE = 300;

/** What the server finds of a text in a log; `key` says in which. */
export function useLogSearch(job, options, words) {
  const [state, setState] = useState({ words: '', matches: [], isDone: true, error: null });
  useEffect(() => {
    if (words === '') {
      setState({ words, matches: [], isDone: true, error: null });
      return () => {};
    }
    const abort = new AbortController();
    const tell = (matches, isDone, error) => abort.signal.aborted || setState({ words, matches, isDone, error });
    const timer = setTimeout(() => {
      let latest = [];
      searchLog(job.number, { text: words, ...options }, abort.signal, (matches, isDone) => {
        latest = matches;
        tell(matches, isDone, null);
      }).catch(error => tell(latest, true, error));
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [job.number, options.stream, options.attempt, words]);
  return state.words === words ? state : { words, matches: [], isDone: false, error: null };
}

/** `current` is the place among the matches, -1 before the first. */
export function LogFind({ field, words, change, result, current, next }) {
  const { matches, isDone, error } = result;
  const all = matches.length.toLocaleString() + (isDone ? '' : '+');
  return html`
    <input type="search" class="grow" ref=${field} placeholder="search ( / )" aria-label="Search the whole log" maxlength="200" value=${words}
      onInput=${event => change(event.target.value)} onKeyDown=${event => event.key === 'Enter' && next(event.shiftKey ? -1 : 1)} />
    ${words !== '' && html`
      <span role="status">${error ? error.message : current >= 0 ? `${(current + 1).toLocaleString()} of ${all}` : `${all} ${matches.length === 1 ? 'line' : 'lines'}`}</span>
      <button onClick=${() => next(-1)} aria-label="Previous">↑</button><button onClick=${() => next(1)} aria-label="Next">↓</button>`}`;
}
