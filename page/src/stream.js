/** Server-sent events by fetch: unlike EventSource it hears the server's heartbeat, and so sees a dead connection. */
import { open } from './api.js';

/** The server says something every 15 s; a connection that is silent for longer is dead. */
const SILENCE = 40_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** Follows a path for as long as it is wanted, over broken connections, restarts of the server and sleep. */
export class EventStream {
  /**
   * `listener.open()` is called where events may have been missed, `listener.event({id, name, data})` for each, and
   * `listener.broken(error)` where there is no connection.
   */
  constructor(path, listener) {
    this.path = path;
    this.listener = listener;
    this.lastId = null;
    this.isEnded = false;
    this.abort = null;
    this.wake = () => {};
    this.run();
  }

  async run() {
    let pause = FIRST_PAUSE;
    while (!this.isEnded) {
      try {
        await this.connection(() => { pause = FIRST_PAUSE; });
      } catch (e) {
        if (!this.isEnded) {
          this.listener.broken(e);
        }
      }
      if (!this.isEnded) {
        await this.wait(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
  }

  wait(ms) {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async connection(connected) {
    this.abort = new AbortController();
    let watch = setTimeout(() => this.abort.abort(), SILENCE);
    try {
      const headers = { Accept: 'text/event-stream' };
      if (this.lastId !== null) {
        headers['Last-Event-ID'] = this.lastId;
      }
      const response = await open('GET', this.path, { headers, signal: this.abort.signal });
      connected();
      this.listener.open();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
        clearTimeout(watch);
        watch = setTimeout(() => this.abort.abort(), SILENCE);
        rest = this.take(rest + value);
      }
    } finally {
      clearTimeout(watch);
      this.abort.abort();
    }
  }

  /** Takes whole events off the beginning of a text; what is left of it. */
  take(text) {
    const blocks = text.split('\n\n');
    const rest = blocks.pop();
    for (const block of blocks) {
      const event = { id: null, name: 'message', data: '' };
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'id') {
          event.id = value;
        } else if (field === 'event') {
          event.name = value;
        } else if (field === 'data') {
          event.data += value;
        }
      }
      if (event.id !== null) {
        this.lastId = event.id;
      }
      if (event.data !== '') {
        this.listener.event(event);
      }
    }
    return rest;
  }

  /** Connects anew at once, as after sleep. */
  again() {
    this.wake();
    this.abort?.abort();
  }

  end() {
    this.isEnded = true;
    this.again();
  }
}
