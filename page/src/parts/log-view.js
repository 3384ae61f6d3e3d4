/** A log on the screen: only the lines in sight are drawn, however many there are. */
import { ansiParts } from '../ansi.js';
import { address, jobPath, query } from '../api.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../html.js';
import { LogBuffer } from '../log-buffer.js';
import { setQuery, useRoute } from '../route.js';
import { useKeys } from '../keys.js';
import { LogFind, useLogSearch } from './log-find.js';

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

/** What stands where no line does; before the first answer nobody knows whether there are any. */
function nothing(buffer) {
  if (buffer?.isDone) {
    return 'It wrote nothing.';
  }
  return buffer?.hasAnswered ? 'Nothing written yet.' : 'Loading …';
}

export function LogView({ job }) {
  const { query: view } = useRoute();
  const stream = view.get('stream') ?? 'both';
  const attempt = view.get('attempt');
  const options = { stream: stream === 'both' ? null : stream, attempt };
  const [, redraw] = useState(0);
  const [isFollowing, setFollowing] = useState(true);
  const [words, setWords] = useState('');
  const [hit, setHit] = useState(-1);
  const [from, setFrom] = useState(null);
  const box = useRef(null);
  const search = useRef(null);
  const buffer = useRef(null);
  /** How far down it was when it last followed. */
  const followed = useRef(0);
  /** The line that is to come into sight, of a part of the log that has just come. */
  const [wanted, want] = useState(null);
  useEffect(() => {
    const made = new LogBuffer(job.number, { ...options, tail: TAIL, from: from?.offset }, () => redraw(n => n + 1));
    buffer.current = made;
    followed.current = 0;
    redraw(n => n + 1);
    // Anew each time: the same line is to come into sight in another stream, too.
    made.ready?.then(() => want({ ...from }), () => {});
    return () => made.end();
  }, [job.number, stream, attempt, from]);
  const lines = buffer.current?.list ?? [];
  const { first, last, onScroll } = useWindow(box, lines.length);
  useEffect(() => {
    if (isFollowing && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
      followed.current = box.current.scrollTop;
    }
  });
  // Only what is drawn has a height to scroll: an effect of an earlier drawing would find none yet.
  useLayoutEffect(() => {
    if (wanted !== null) {
      show(wanted.offset);
    }
  }, [wanted]);
  const result = useLogSearch(job, options, words);
  useEffect(() => setHit(-1), [words, stream, attempt]);
  /** Scrolls to the line that begins at an offset; whether it is among those that are loaded. */
  const show = offset => {
    const at = buffer.current.list.findIndex(line => line.offset === offset);
    if (at >= 0 && box.current) {
      box.current.scrollTop = Math.max(0, at * LINE - box.current.clientHeight / 2);
      onScroll();
    }
    return at >= 0;
  };
  const next = by => {
    const all = result.matches.length;
    if (all === 0) {
      return;
    }
    const to = hit < 0 ? (by > 0 ? 0 : all - 1) : (hit + by + all) % all;
    const { offset } = result.matches[to];
    setFollowing(false);
    setHit(to);
    if (!show(offset)) {
      setFrom({ offset });
    }
  };
  const hitOffset = result.matches[hit]?.offset;
  const follow = () => {
    setFrom(null);
    setFollowing(!isFollowing || from !== null);
  };
  const earlier = async () => {
    setFollowing(false);
    const added = await buffer.current.earlier();
    box.current.scrollTop += added * LINE;
  };
  useKeys({ '/': () => search.current.focus(), n: () => next(1), N: () => next(-1) });
  const scrolled = () => {
    onScroll();
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 2 * LINE;
    // By the time that this is told of, more may be written below: only who scrolls up follows no longer.
    if (isAtEnd || scrollTop < followed.current) {
      setFollowing(buffer.current.isLive && isAtEnd);
    }
  };
  const download = address(query(jobPath(job.number, '/log'), options));
  return html`
    <div class="bar">
      ${STREAMS.map(([value, word]) => html`<button key=${value} aria-pressed=${stream === value} onClick=${() => setQuery({ stream: value === 'both' ? null : value })}>${word}</button>`)}
      ${job.attempt > 1 && html`<select aria-label="Attempt" value=${attempt ?? ''} onChange=${event => setQuery({ attempt: event.target.value })}>
        <option value="">all attempts</option>${Array.from({ length: job.attempt }, (_, at) => html`<option key=${at} value=${at + 1}>attempt ${at + 1}</option>`)}</select>`}
      <${LogFind} field=${search} words=${words} change=${setWords} result=${result} current=${hit} next=${next} />
      <button aria-pressed=${isFollowing} onClick=${follow}>Follow</button>
      <button disabled=${!buffer.current?.hasEarlier} onClick=${earlier}>Show earlier lines</button>
      <a class="button" href=${download} download=${`job-${job.number}.log`}>Download</a>
    </div>
    ${buffer.current?.error && html`<p class="banner bad" role="alert">${buffer.current.error.message}</p>`}
    <div class="log" ref=${box} onScroll=${scrolled} tabindex="0" role="log" aria-label="Log" aria-live="off">
      <div style=${{ height: lines.length * LINE + 'px' }}></div>
      <div class="rows" style=${{ top: first * LINE + 'px' }}>
        ${lines.slice(first, last).map((line, at) => html`<${Line} key=${first + at} line=${line} isHit=${line.offset === hitOffset} />`)}
      </div>
      ${lines.length === 0 && !buffer.current?.error && html`<p class="empty">${nothing(buffer.current)}</p>`}
    </div>
    ${buffer.current?.hasLater && html`<p><button onClick=${() => buffer.current.later()}>Show later lines</button></p>`}`;
}
