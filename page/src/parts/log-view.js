/** A log on the screen: only the lines in sight are drawn, however many there are. */
import { ansiParts } from '../ansi.js';
import { address, jobPath, query } from '../api.js';
import { html, useEffect, useMemo, useRef, useState } from '../html.js';
import { count } from '../format.js';
import { LogBuffer } from '../log-buffer.js';
import { setQuery, useRoute } from '../route.js';
import { useKeys } from '../keys.js';

const LINE = 18;
const SPARE = 20;
const TAIL = 2_000;
const STREAMS = [['both', 'Both'], ['stdout', 'stdout'], ['stderr', 'stderr']];

function Line({ line, isHit }) {
  const parts = ansiParts(line);
  return html`<div class=${'row ' + line.kind + (isHit ? ' hit' : '')} title=${new Date(line.time).toLocaleString()}>${parts.map((part, at) => html`<span key=${at} style=${part.style}>${part.text}</span>`)}${line.cut > 0 ? html`<span class="dim"> … ${line.cut.toLocaleString()} more characters; download it for all</span>` : ''}</div>`;
}

/** The part of a list of lines that is in sight of a box. */
function useWindow(box, length) {
  const [top, setTop] = useState(0);
  const height = box.current?.clientHeight ?? 600;
  const first = Math.max(0, Math.floor(top / LINE) - SPARE);
  const last = Math.min(length, Math.ceil((top + height) / LINE) + SPARE);
  return { first, last, onScroll: () => setTop(box.current.scrollTop) };
}

export function LogView({ job }) {
  const { query: view } = useRoute();
  const stream = view.get('stream') ?? 'both';
  const attempt = view.get('attempt');
  const [, redraw] = useState(0);
  const [isFollowing, setFollowing] = useState(true);
  const [words, setWords] = useState('');
  const [hit, setHit] = useState(-1);
  const box = useRef(null);
  const search = useRef(null);
  const buffer = useRef(null);
  useEffect(() => {
    const made = new LogBuffer(job.number, { stream: stream === 'both' ? null : stream, attempt, tail: TAIL }, () => redraw(n => n + 1));
    buffer.current = made;
    redraw(n => n + 1);
    return () => made.end();
  }, [job.number, stream, attempt]);
  const lines = buffer.current?.list ?? [];
  const { first, last, onScroll } = useWindow(box, lines.length);
  useEffect(() => {
    if (isFollowing && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  });
  const hits = useMemo(() => {
    const wanted = words.toLowerCase();
    return wanted === '' ? [] : lines.flatMap((line, at) => (line.text.toLowerCase().includes(wanted) ? [at] : []));
  }, [words, lines.length, lines[0]]);
  const show = at => {
    setFollowing(false);
    setHit(at);
    box.current.scrollTop = Math.max(0, at * LINE - box.current.clientHeight / 2);
  };
  const next = by => hits.length > 0 && show(hits[(hits.indexOf(hit) + by + hits.length) % hits.length]);
  const earlier = async () => {
    setFollowing(false);
    const added = await buffer.current.earlier();
    box.current.scrollTop += added * LINE;
  };
  useKeys({ '/': () => search.current.focus(), n: () => next(1), N: () => next(-1) });
  const scrolled = () => {
    onScroll();
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    setFollowing(scrollHeight - scrollTop - clientHeight < 2 * LINE);
  };
  const download = address(query(jobPath(job.number, '/log'), { stream: stream === 'both' ? null : stream, attempt }));
  return html`
    <div class="bar">
      ${STREAMS.map(([value, word]) => html`<button key=${value} aria-pressed=${stream === value} onClick=${() => setQuery({ stream: value === 'both' ? null : value })}>${word}</button>`)}
      ${job.attempt > 1 && html`<select aria-label="Attempt" value=${attempt ?? ''} onChange=${event => setQuery({ attempt: event.target.value })}>
        <option value="">all attempts</option>${Array.from({ length: job.attempt }, (_, at) => html`<option key=${at} value=${at + 1}>attempt ${at + 1}</option>`)}</select>`}
      <input type="search" class="grow" ref=${search} placeholder="search ( / )" aria-label="Search the lines that are loaded" value=${words}
        onInput=${event => setWords(event.target.value)} onKeyDown=${event => event.key === 'Enter' && next(event.shiftKey ? -1 : 1)} />
      ${words !== '' && html`<span role="status">${count(hits.length, 'line')}</span><button onClick=${() => next(-1)} aria-label="Previous">↑</button><button onClick=${() => next(1)} aria-label="Next">↓</button>`}
      <button aria-pressed=${isFollowing} onClick=${() => setFollowing(!isFollowing)}>Follow</button>
      <a class="button" href=${download} download=${`job-${job.number}.log`}>Download</a>
    </div>
    ${buffer.current?.error && html`<p class="banner bad" role="alert">${buffer.current.error.message}</p>`}
    ${buffer.current?.hasEarlier && html`<p><button onClick=${earlier}>Show earlier lines</button></p>`}
    <div class="log" ref=${box} onScroll=${scrolled} tabindex="0" role="log" aria-label="Log" aria-live="off">
      <div style=${{ height: lines.length * LINE + 'px' }}></div>
      <div class="rows" style=${{ top: first * LINE + 'px' }}>
        ${lines.slice(first, last).map((line, at) => html`<${Line} key=${first + at} line=${line} isHit=${first + at === hit} />`)}
      </div>
      ${lines.length === 0 && html`<p class="empty">${buffer.current?.isDone ? 'It wrote nothing.' : 'Nothing written yet.'}</p>`}
    </div>`;
}
