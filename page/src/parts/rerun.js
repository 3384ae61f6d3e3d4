/** Running a job again with changes: a new submit that names the old one's snapshot. */
import { again, jobPath, open } from '../api.js';
import { quoted } from '../format.js';
import { go } from '../route.js';
import { question } from './dialog.js';

/** What a submit takes as a job shows it; the rest is asked for in the dialog, or is not known here. */
const KEPT = [
  'project', 'tags', 'image', 'pull', 'volumes', 'workingDirectory', 'gpuMemoryBytes', 'gpuType', 'gpuLabels', 'cpuMilli',
  'cpuGuaranteeMilli', 'memoryBytes', 'memoryGuaranteeBytes', 'nice', 'shmBytes', 'idleTimeoutSeconds', 'signal', 'graceSeconds',
  'network', 'requeue', 'retries', 'retryOn', 'retryDelay', 'retryPlace', 'track',
];
/** What of it a target beyond the server's machine takes: the rest is about the machine itself. */
const KEPT_ELSEWHERE = [
  'project', 'tags', 'target', 'image', 'gpuType', 'cpuMilli', 'memoryBytes', 'signal', 'graceSeconds', 'requeue', 'retries',
  'retryOn', 'retryDelay',
];
/** The word in place of an image, of a program that runs on a cluster's node as it is. */
const NODE = 'node';
const MILLI = 1_000;

/** Whether a job can be run so: a task or an array stands for many, and a process of the machine was started by its user. */
export function isForRerun(job) {
  return !job.host && job.tasks === null && job.arrayId === null && job.command !== null;
}

const isGiven = value => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

/** The words of a command line as a shell reads them, without variables and patterns; a sentence where a quote has no end. */
export function words(line) {
  const found = [];
  let word = null;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at];
    if (letter === "'" || letter === '"') {
      word ??= '';
      for (at++; line[at] !== letter; at++) {
        if (at >= line.length) {
          throw new Error(`command: a ${letter} has no end; write one more, or \\${letter} for the character itself`);
        }
        const isEscape = letter === '"' && line[at] === '\\' && '"\\'.includes(line[at + 1] ?? ' ');
        word += line[isEscape ? ++at : at];
      }
    } else if (/\s/.test(letter)) {
      word !== null && found.push(word);
      word = null;
    } else {
      word = (word ?? '') + (letter === '\\' && at + 1 < line.length ? line[++at] : letter);
    }
  }
  return word === null ? found : [...found, word];
}

/** A whole number of seconds; null for none. */
function seconds(text) {
  if (text.trim() === '') {
    return null;
  }
  if (!/^[1-9]\d*$/.test(text.trim())) {
    throw new Error(`time limit: '${text}' must be a whole number of seconds from 1, or empty for the server's own`);
  }
  return Number(text);
}

/** Whole GPUs, or a share of one in thousandths: a submit has a field for each. */
function gpuFields(text) {
  const milli = Math.round(Number(text.trim()) * MILLI);
  if (!/^\d+(\.\d{1,3})?$/.test(text.trim())) {
    throw new Error(`GPUs: '${text}' must be a number such as 0, 1 or 0.5`);
  }
  return milli > 0 && milli < MILLI ? { gpuMilli: milli } : { gpus: milli / MILLI };
}

/** The variables of lines NAME=VALUE. */
function environment(text) {
  const given = {};
  for (const line of text.split('\n').filter(it => it.trim() !== '')) {
    const equals = line.indexOf('=');
    if (equals < 1) {
      throw new Error(`variables: '${line}' must be NAME=VALUE, one on each line`);
    }
    given[line.slice(0, equals).trim()] = line.slice(equals + 1);
  }
  return given;
}

/** The submit of a job with what a dialog's fields say. */
export function request(job, values) {
  const isElsewhere = isGiven(job.target);
  const kept = Object.fromEntries((isElsewhere ? KEPT_ELSEWHERE : KEPT).filter(name => isGiven(job[name])).map(name => [name, job[name]]));
  if (isElsewhere && kept.image === NODE) {
    delete kept.image;
  }
  const limit = seconds(values.time);
  return {
    ...kept, command: words(values.command), ...(job.snapshot === '' ? {} : { snapshot: job.snapshot }), name: values.name.trim(), ...gpuFields(values.gpus),
    environment: environment(values.environment), ...(limit === null ? {} : { timeLimitSeconds: limit }),
  };
}

/** The commands that fetch the directory and submit it as it was; limits of cores and memory are to be added. */
function commandLine(job) {
  const time = job.timeLimitSeconds === null ? '' : ` --time ${job.timeLimitSeconds}s`;
  const names = (job.environment ?? []).map(name => ` -e ${name}=…`).join('');
  const volumes = job.volumes.map(it => ` -v ${quoted(it)}`).join('');
  const [program, ...rest] = job.command.map(quoted);
  return `berth get ${job.number} --snapshot\nberth submit ${job.target ?? 'scheduler'} job-${job.number}-snapshot ${program} --name ${quoted(job.name)}`
    + ` --num-gpus ${job.gpuMilli / MILLI}${time} --project ${quoted(job.project)}`
    + `${isGiven(job.target) && job.image === NODE ? '' : ` --image ${quoted(job.image)}`}${volumes}${names}${rest.length > 0 ? ' -- ' + rest.join(' ') : ''}`;
}

function text(job, refusal) {
  const names = job.environment ?? [];
  return (refusal === null ? '' : `Not accepted: ${refusal} — `)
    + 'A new job with the same directory, image, volumes and resources, at the end of the queue. Dependencies, start date, notices and profile are not taken over. '
    + (names.length === 0 ? 'The job set no variables of its own.'
      : `It had these variables, whose values the server shows nobody: give them again, or they are not set: ${names.join(', ')}.`);
}

/** Asks for the changes, and submits; a refusal is shown over the same fields until it is accepted or left. */
export async function rerun(job) {
  let values = {
    command: job.command.map(quoted).join(' '), name: job.name, gpus: String(job.gpuMilli / MILLI),
    time: job.timeLimitSeconds === null ? '' : String(job.timeLimitSeconds),
    environment: '',
  };
  // The same while the same is asked: a lost answer then makes no second job.
  let last = { body: null, key: null };
  for (let refusal = null; ;) {
    values = await question({
      title: `Run job ${job.number} again with changes`, text: text(job, refusal),
      fields: [
        { name: 'command', label: 'Command', required: true, lines: 3, value: values.command },
        { name: 'name', label: 'Name', required: true, value: values.name },
        { name: 'gpus', label: 'GPUs', required: true, value: values.gpus },
        { name: 'time', label: 'Time limit in seconds (empty: the server\u2019s)', value: values.time },
        { name: 'environment', label: 'Variables, NAME=VALUE on each line', lines: 3, value: values.environment },
      ],
      action: 'Submit', command: commandLine(job),
    });
    if (values === null) {
      return;
    }
    try {
      const body = request(job, values);
      const text = JSON.stringify(body);
      last = text === last.body ? last : { body: text, key: newKey() };
      const headers = { 'Idempotency-Key': last.key };
      const submitted = await again(async () => (await open('POST', '/jobs', { body, headers })).json());
      go(jobPath(submitted.number));
      return;
    } catch (e) {
      refusal = e.message;
      // The dialog before is gone by then, and this one is another.
      await new Promise(done => setTimeout(done));
    }
  }
}

/** `crypto.randomUUID` is there over TLS and on localhost alone. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
