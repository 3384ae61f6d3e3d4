/**
 * A window of a job's log, in lines. It is bounded: a log of gigabytes is never held as a whole. Frames are those of the API:
 * 24 bytes (offset, time, stream, length; big-endian), then the bytes.
 */
import { jobPath, open, query } from './api.js';

const HEADER = 24;
const MAX_LINES = 60_000;
/** The bytes of a line that are shown. */
const MAX_LINE = 4_000;
const EARLIER_BYTES = 1 << 18;
const STREAMS = ['out', 'err', 'berth'];

/** Reads frames from an answer; calls `take({offset, time, stream, bytes})` for each. */
async function frames(response, take) {
  const reader = response.body.getReader();
  let rest = new Uint8Array(0);
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const all = new Uint8Array(rest.length + value.length);
    all.set(rest);
    all.set(value, rest.length);
    let at = 0;
    while (all.length - at >= HEADER) {
      const view = new DataView(all.buffer, at, HEADER);
      const length = view.getUint32(20);
      if (all.length - at - HEADER < length) {
        break;
      }
      const isMore = take({
        offset: Number(view.getBigUint64(0)), time: Number(view.getBigUint64(8)), stream: view.getUint32(16),
        bytes: all.subarray(at + HEADER, at + HEADER + length),
      });
      at += HEADER + length;
      if (isMore === false) {
        await reader.cancel();
        return;
      }
    }
    rest = all.slice(at);
  }
}

/** Adds text to a line. What a program draws over, as progress bars do by a carriage return, is not kept. */
function append(line, text) {
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
  const over = whole.lastIndexOf('\r');
  if (over >= 0) {
    line.text = '';
    line.cut = 0;
  }
  const last = whole.slice(over + 1);
  const room = MAX_LINE - line.text.length;
  line.text += last.slice(0, room);
  line.cut += Math.max(0, last.length - room);
}

/** Cuts frames into lines; the last one may go on. */
class Lines {
  constructor() {
    this.list = [];
    this.parts = STREAMS.map(() => null);
    this.decoders = STREAMS.map(() => new TextDecoder());
  }

  add({ offset, time, stream, bytes }) {
    const kind = STREAMS[stream] ?? 'out';
    const texts = this.decoders[stream].decode(bytes, { stream: true }).split('\n');
    texts.forEach((text, index) => {
      let line = this.parts[stream];
      if (line === null) {
        line = { text: '', cut: 0, kind, offset, time };
        this.list.push(line);
        this.parts[stream] = line;
      }
      append(line, text);
      if (index < texts.length - 1) {
        this.parts[stream] = null;
      }
    });
    const last = this.parts[stream];
    if (last !== null && last.text === '' && last.cut === 0) {
      this.list.splice(this.list.lastIndexOf(last), 1);
      this.parts[stream] = null;
    }
  }
}

/** A window of one job's log, which goes on while the job runs. */
export class LogBuffer {
  /** `changed()` is called, at most once a frame of the screen, where there is something new. */
  constructor(number, { stream, attempt, tail }, changed) {
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
    this.drawing = 0;
    this.changed = () => {
      this.drawing ||= requestAnimationFrame(() => {
        this.drawing = 0;
        changed();
      });
    };
    this.follow();
  }

  get list() {
    return this.lines.list;
  }

  path(parameters) {
    return query(jobPath(this.number, '/log'), { format: 'frames', ...this.options, ...parameters });
  }

  async follow() {
    while (!this.abort.signal.aborted && !this.isDone) {
      try {
        const where = this.next === null ? { tail: this.tail } : { offset: this.next };
        const response = await open('GET', this.path({ follow: true, ...where }), { headers: { Accept: '*/*' }, signal: this.abort.signal });
        this.start = Number(response.headers.get('Berth-Log-Start') ?? 0);
        this.first ??= Number(response.headers.get('Berth-Log-Offset') ?? 0);
        this.error = null;
        await frames(response, frame => this.take(frame));
        this.isDone = true;
      } catch (e) {
        if (this.abort.signal.aborted) {
          return;
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

  /** Whether there is something before what is held. */
  get hasEarlier() {
    return this.first !== null && this.first > this.start && this.list.length < MAX_LINES;
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
    this.abort.abort();
    cancelAnimationFrame(this.drawing);
  }
}
