/**
 * The lines of a log, out of the frames of the API: 24 bytes (offset, time, stream, length; big-endian), then the bytes.
 */

const HEADER = 24;
const NEWLINE = 10;
/** The bytes of a line that are shown. */
const MAX_LINE = 4_000;
const STREAMS = ['out', 'err', 'berth'];

/** Reads frames from an answer; calls `take({offset, time, stream, bytes})` for each. */
export async function frames(response, take) {
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
export class Lines {
  constructor() {
    this.list = [];
    this.parts = STREAMS.map(() => null);
    this.decoders = STREAMS.map(() => new TextDecoder());
  }

  add({ offset, time, stream, bytes }) {
    const kind = STREAMS[stream] ?? 'out';
    const texts = this.decoders[stream].decode(bytes, { stream: true }).split('\n');
    let begin = 0;
    texts.forEach((text, index) => {
      let line = this.parts[stream];
      begin = index === 0 ? 0 : bytes.indexOf(NEWLINE, begin) + 1;
      if (line === null) {
        line = { text: '', cut: 0, kind, offset: offset + begin, time };
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
