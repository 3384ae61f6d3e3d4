/** A window of a job's log, in lines. It is bounded: a log of gigabytes is never held as a whole. */
import { jobPath, open, query } from './api.js';
import { inSight } from './live.js';
import { frames, Lines } from './log-lines.js';

const MAX_LINES = 60_000;
const EARLIER_BYTES = 1 << 18;
const PIECE_BYTES = 1 << 18;

/** A window of one job's log, which goes on while the job runs. */
export class LogBuffer {
  /**
   * The last lines, `tail`, and what follows; or what is around an offset, `from`, and no more than that of a long log.
   * `changed()` is called, at most once a frame of the screen, where there is something new.
   */
  constructor(number, { stream, attempt, tail, from = null }, changed) {
    this.number = number;
    this.options = { stream, attempt };
    this.tail = tail;
    this.lines = new Lines();
    this.start = 0;
    this.first = null;
    this.next = null;
    this.error = null;
    this.isDone = false;
    this.abort = new AbortController();
    this.connection = null;
    this.hide = () => document.hidden && this.connection?.abort();
    document.addEventListener('visibilitychange', this.hide);
    this.drawing = 0;
    this.changed = () => {
      this.drawing ||= requestAnimationFrame(() => {
        this.drawing = 0;
        changed();
      });
    };
    /** Whether there is more behind what is held, which is loaded where somebody asks for it. */
    this.hasLater = false;
    this.isLive = false;
    if (from === null) {
      this.follow();
    } else {
      this.next = from;
      this.ready = this.later().then(() => (this.hasEarlier ? this.earlier() : 0));
    }
  }

  get list() {
    return this.lines.list;
  }

  path(parameters) {
    return query(jobPath(this.number, '/log'), { format: 'frames', ...this.options, ...parameters });
  }

  async follow() {
    this.isLive = true;
    while (!this.abort.signal.aborted && !this.isDone) {
      await inSight();
      this.connection = new AbortController();
      const signal = AbortSignal.any([this.abort.signal, this.connection.signal]);
      try {
        const where = this.next === null ? { tail: this.tail } : { offset: this.next };
        const response = await open('GET', this.path({ follow: true, ...where }), { headers: { Accept: '*/*' }, signal });
        this.start = Number(response.headers.get('Berth-Log-Start') ?? 0);
        this.first ??= Number(response.headers.get('Berth-Log-Offset') ?? 0);
        this.error = null;
        this.changed();
        await frames(response, frame => this.take(frame));
        this.isDone = true;
      } catch (e) {
        if (this.abort.signal.aborted) {
          return;
        }
        if (signal.aborted) {
          continue;
        }
        this.error = e;
        this.isDone = e.status >= 400 && e.status < 500;
        await new Promise(resolve => setTimeout(resolve, 2_000));
      }
      this.changed();
    }
  }

  take(frame) {
    this.lines.add(frame);
    this.next = frame.offset + frame.bytes.length;
    if (this.list.length > MAX_LINES + 10_000) {
      this.list.splice(0, this.list.length - MAX_LINES);
      this.first = this.list[0].offset;
    }
    this.changed();
  }

  /** Loads a piece of what lies behind; behind the last one it goes on with what is still written. */
  async later() {
    this.hasLater = false;
    let left = PIECE_BYTES;
    try {
      const response = await open('GET', this.path({ offset: this.next }), { headers: { Accept: '*/*' }, signal: this.abort.signal });
      this.start = Number(response.headers.get('Berth-Log-Start') ?? 0);
      this.first ??= Number(response.headers.get('Berth-Log-Offset') ?? 0);
      this.error = null;
      await frames(response, frame => {
        this.take(frame);
        left -= frame.bytes.length;
        return left > 0;
      });
      this.hasLater = left <= 0;
    } catch (e) {
      if (this.abort.signal.aborted) {
        return;
      }
      this.error = e;
      this.hasLater = true;
    }
    if (left > 0 && this.error === null) {
      this.follow();
    }
    this.changed();
  }

  /** Whether the server has said what there is. */
  get hasAnswered() {
    return this.first !== null;
  }

  /** Whether there is something before what is held. */
  get hasEarlier() {
    return this.hasAnswered && this.first > this.start && this.list.length < MAX_LINES;
  }

  /** Loads a piece of what lies before; how many lines it had. */
  async earlier() {
    const from = Math.max(this.start, this.first - EARLIER_BYTES);
    const before = new Lines();
    const until = this.first;
    const response = await open('GET', this.path({ offset: from }), { headers: { Accept: '*/*' }, signal: this.abort.signal });
    await frames(response, frame => {
      const fitting = frame.offset + frame.bytes.length <= until ? frame.bytes : frame.bytes.subarray(0, Math.max(0, until - frame.offset));
      if (fitting.length > 0) {
        before.add({ ...frame, bytes: fitting });
      }
      return frame.offset + frame.bytes.length < until;
    });
    if (from > this.start && before.list.length > 1) {
      before.list.shift();
      this.first = before.list[0].offset;
    } else {
      this.first = from;
    }
    this.lines.list.unshift(...before.list);
    this.changed();
    return before.list.length;
  }

  end() {
    document.removeEventListener('visibilitychange', this.hide);
    this.abort.abort();
    cancelAnimationFrame(this.drawing);
  }
}
