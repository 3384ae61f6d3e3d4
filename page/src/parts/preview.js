/**
 * A look at a file of a job's output: pictures, sound, films, text, JSON and tables. What it is goes by its name and by a list of
 * what is harmless; all else, SVG and HTML too, is shown as text.
 */
import { jobPath, open, query } from '../api.js';
import { html, useEffect, useState } from '../html.js';
import { bytes as inWords } from '../format.js';
import { firstFile } from '../tar.js';
import { Failure, Plain } from './common.js';

const TYPES = {
  png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', bmp: 'image/bmp', avif: 'image/avif',
  mp4: 'video/mp4', webm: 'video/webm', ogv: 'video/ogg', mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', flac: 'audio/flac', m4a: 'audio/mp4',
};
const MAX_BYTES = 64 << 20;
const MAX_TEXT = 256 << 10;
const MAX_ROWS = 200;

async function load(job, path, signal) {
  const response = await open('GET', query(jobPath(job.number, '/output'), { path }), { headers: { Accept: '*/*' }, signal });
  const chunks = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    chunks.push(value);
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new Error(`it is larger than ${inWords(MAX_BYTES)}: download it, or run: berth get ${job.number} ${path}`);
    }
  }
  const file = firstFile(new Uint8Array(await new Blob(chunks).arrayBuffer()));
  if (file === null) {
    throw new Error('there is no such file any more, or its owner may not read it');
  }
  return file;
}

function Table({ text, separator }) {
  const rows = text.split('\n').filter(line => line !== '').slice(0, MAX_ROWS).map(line => line.split(separator));
  return html`<div class="scroll"><table><thead><tr>${rows[0]?.map((cell, at) => html`<th key=${at}>${cell}</th>`)}</tr></thead>
    <tbody>${rows.slice(1).map((row, at) => html`<tr key=${at}>${row.map((cell, column) => html`<td key=${column}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

function Text({ file, ending }) {
  if (file.subarray(0, 4096).includes(0)) {
    return html`<p class="dim">It is no text, and of no kind that can be shown here.</p>`;
  }
  let text = new TextDecoder().decode(file.subarray(0, MAX_TEXT));
  if ((ending === 'csv' || ending === 'tsv') && !text.includes('"')) {
    return html`<${Table} text=${text} separator=${ending === 'csv' ? ',' : '\t'} />`;
  }
  if (ending === 'json' && file.length <= MAX_TEXT) {
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // It is not JSON, whatever its name says: shown as it is.
    }
  }
  return html`<pre tabindex="0">${text}</pre>${file.length > MAX_TEXT && html`<p class="dim">The first ${inWords(MAX_TEXT)} of ${inWords(file.length)}.</p>`}`;
}

export function Preview({ job, path }) {
  const [file, setFile] = useState(null);
  const [url, setUrl] = useState(null);
  const [error, setError] = useState(null);
  const ending = path.split('.').pop().toLowerCase();
  const type = TYPES[ending];
  useEffect(() => {
    const abort = new AbortController();
    let made = null;
    load(job, path, abort.signal).then(found => {
      setFile(found);
      if (type) {
        made = URL.createObjectURL(new Blob([found], { type }));
        setUrl(made);
      }
    }, e => !abort.signal.aborted && setError(e));
    return () => {
      abort.abort();
      made && URL.revokeObjectURL(made);
    };
  }, [path]);
  const name = path.split('/').pop();
  return html`
    <section aria-label=${'Preview of ' + name}>
      <h2><${Plain} text=${path} />${file && html` <span class="count">${inWords(file.length)}</span>`}</h2>
      <${Failure} error=${error} />
      ${!file && !error && html`<p class="loading">Loading …</p>`}
      ${file && !type && html`<${Text} file=${file} ending=${ending} />`}
      ${url && type.startsWith('image/') && html`<img class="preview" src=${url} alt=${name} />`}
      ${url && type.startsWith('video/') && html`<video class="preview" src=${url} controls></video>`}
      ${url && type.startsWith('audio/') && html`<audio src=${url} controls></audio>`}
    </section>`;
}
