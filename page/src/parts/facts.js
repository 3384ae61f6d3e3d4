/** What a job asked for and got, and its times. */
import { html } from '../html.js';
import { bytes, duration, fullMoment, gpus, mebibytes, moment, quoted, relative } from '../format.js';
import { JobLink, Moment, Plain, State } from './common.js';
import { Spark } from './spark.js';

function Fact({ word, children }) {
  const shown = Array.isArray(children) ? children.filter(it => it !== null && it !== undefined && it !== false && it !== '') : children;
  const isEmpty = shown === null || shown === undefined || shown === '' || shown === false || (Array.isArray(shown) && shown.length === 0);
  return isEmpty ? null : html`<dt>${word}</dt><dd>${children}</dd>`;
}

const MIB = 1024 * 1024;

const cpus = milli => (milli === null ? null : milli / 1000 + (milli === 1000 ? ' core' : ' cores'));

function Times({ job, explanation }) {
  return html`
    <section><h2>When</h2><dl class="facts">
      <${Fact} word="Submitted">${fullMoment(job.submittedAt)}<//>
      <${Fact} word="Not before">${fullMoment(job.begin)}<//>
      <${Fact} word="Expected start">${job.expectedStart && !job.startedAt && `about ${moment(job.expectedStart)} (${relative(job.expectedStart)})`}<//>
      <${Fact} word="Latest start">${job.latestStart && !job.startedAt && `${moment(job.latestStart)} (${relative(job.latestStart)})`}<//>
      <${Fact} word="Started">${fullMoment(job.startedAt)}<//>
      <${Fact} word="Ended">${fullMoment(job.endedAt)}<//>
      <${Fact} word="Ran for">${duration(job.ranSeconds)}<//>
      <${Fact} word="Time limit">${duration(job.timeLimitSeconds)}<//>
      <${Fact} word="In this state">${explanation.since && 'since ' + moment(explanation.since)}<//>
      <${Fact} word="Attempt">${job.attempt > 1 ? job.attempt : null}<//>
      <${Fact} word="Repeats">${job.resubmitOf && html`<${JobLink} number=${String(job.resubmitOf)}>job ${job.resubmitOf}<//>`}<//>
      <${Fact} word="Exit code">${job.exitCode === null ? null : String(job.exitCode)}<//>
    </dl></section>`;
}

function Program({ job }) {
  return html`
    <section><h2>What it runs</h2><dl class="facts">
      <${Fact} word="Command">${job.command && html`<code>${job.command.map(quoted).join(' ')}</code>`}<//>
      <${Fact} word="Image">${job.image && html`<code>${job.image}</code>`}<//>
      <${Fact} word="Directory">${job.workingDirectory && html`<code>${job.workingDirectory}</code>`}<//>
      <${Fact} word="Commit">${job.git && html`<code>${job.git.commit.slice(0, 12)}</code>${job.git.branch ? ' on ' + job.git.branch : ''}${job.git.dirty ? ', with uncommitted changes' : ''}`}<//>
      <${Fact} word="Variables">${job.environment?.length > 0 && job.environment.join(', ')}<//>
      <${Fact} word="Volumes">${job.volumes.length > 0 && job.volumes.join(', ')}<//>
      <${Fact} word="Network">${job.network !== 'bridge' && job.network}<//>
      <${Fact} word="Profile">${job.profile}<//>
      <${Fact} word="Depends on">${job.dependencies.length > 0 && job.dependencies.join(', ')}<//>
      <${Fact} word="Array">${job.array}<//>
      <${Fact} word="Tags">${job.tags.length > 0 && html`<span class="chips">${job.tags.map(tag => html`<span class="chip" key=${tag}>${tag}</span>`)}</span>`}<//>
      <${Fact} word="Output"><code>${job.outputDirectory}</code><//>
    </dl></section>`;
}

function cores(milli) {
  return (milli / 1000).toFixed(2);
}

/** The use of something over time: as high as what was asked for, or as the most that was used. */
function Over({ word, values, asked, shown, step }) {
  const most = Math.max(...values.filter(value => value !== null), 1);
  const words = `${word} over time: at most ${shown(most)}${asked ? ' of ' + shown(asked) : ''}, a value each ${duration(step)}`;
  return html`<figure><figcaption>${words}</figcaption><${Spark} values=${values} max=${Math.max(most, asked || 0)} label=${words} /></figure>`;
}

function Resources({ job }) {
  const usage = job.usage;
  const machine = job.machineUsage;
  return html`
    <section><h2>Asked and used</h2><dl class="facts">
      <${Fact} word="GPUs">${gpus(job.gpuMilli)}${job.gpuMemoryBytes ? `, each with ${bytes(job.gpuMemoryBytes)}` : ''}${job.gpuType ? ', ' + job.gpuType : ''}<//>
      <${Fact} word="Which">${job.gpuIndices.length > 0 && html`<span title=${job.gpuUuids.join('\n')}>GPU ${job.gpuIndices.join(', ')}</span>`}<//>
      <${Fact} word="CPU">${cpus(job.cpuMilli) ?? (job.cpus.length > 0 ? null : 'all cores')}<//>
      <${Fact} word="Its cores">${job.cpus.length > 0 && job.cpus.join(', ')}<//>
      <${Fact} word="Memory">${job.memoryBytes === null ? 'all of the machine' : bytes(job.memoryBytes)}<//>
      ${usage && html`
        <${Fact} word="GPU time">${duration(usage.gpuSeconds)}<//>
        <${Fact} word="GPU used">${usage.meanUtilisationPercent === null ? null : usage.meanUtilisationPercent + ' % on average'}<//>
        <${Fact} word="GPU idle">${duration(usage.idleSeconds)}<//>
        <${Fact} word="GPU memory">${usage.peakMemoryMiB === null ? null : mebibytes(usage.peakMemoryMiB) + ' at most'}<//>
        <${Fact} word="Energy">${usage.energyJoules === null ? null : (usage.energyJoules / 3.6e6).toFixed(3) + ' kWh'}<//>`}
      ${machine && html`
        <${Fact} word="Cores used">${cores(machine.meanCpuMilli)} on average<//>
        <${Fact} word="Memory used">${mebibytes(machine.peakMemoryMiB)} at most<//>`}
    </dl>
    ${usage?.utilisation?.length > 1 && html`<${Over} word="GPU use" values=${usage.utilisation} asked=${100} shown=${value => value + ' %'} step=${usage.stepSeconds} />`}
    ${machine?.cpuMilli.length > 1 && html`
      <${Over} word="Cores" values=${machine.cpuMilli} asked=${job.cpuMilli} shown=${cores} step=${machine.stepSeconds} />
      <${Over} word="Memory" values=${machine.memoryMiB} asked=${job.memoryBytes && job.memoryBytes / MIB} shown=${mebibytes} step=${machine.stepSeconds} />`}
    </section>`;
}

function Attempts({ attempts }) {
  return html`
    <section><h2>Earlier attempts</h2><div class="scroll"><table>
      <thead><tr><th class="number">Attempt</th><th>State</th><th>Started</th><th>Ran for</th><th>GPUs</th><th>How it ended</th></tr></thead>
      <tbody>${attempts.map(it => html`<tr key=${it.attempt}><td class="number">${it.attempt}</td><td><${State} name=${it.state} /></td>
        <td><${Moment} at=${it.startedAt} /></td><td>${duration(it.ranSeconds)}</td><td>${it.gpuIndices.join(', ')}</td><td>${it.sentence}</td></tr>`)}
      </tbody></table></div></section>`;
}

function Ahead({ explanation }) {
  if (explanation.ahead.length === 0 && explanation.holders.length === 0) {
    return null;
  }
  return html`
    <section><h2>What comes before it</h2><ul>
      ${explanation.holders.map(it => html`<li key=${'h' + it.number}><${JobLink} number=${it.number}>job ${it.number}<//> ${it.user ?? ''} holds ${gpus(it.gpuMilli)} GPU${it.expectedEnd ? ', until about ' + moment(it.expectedEnd) : it.until ? ', until ' + moment(it.until) + ' at the latest' : ''}</li>`)}
      ${explanation.ahead.map(it => html`<li key=${'a' + it.number}><${JobLink} number=${it.number}>job ${it.number}<//> ${it.user ?? ''} waits for ${gpus(it.gpuMilli)} GPU</li>`)}
    </ul></section>`;
}

export function Facts({ job, explanation }) {
  return html`
    <div class="columns">
      <${Times} job=${job} explanation=${explanation} />
      <${Program} job=${job} />
      <${Resources} job=${job} />
      <${Ahead} explanation=${explanation} />
      ${job.parameters && html`<section><h2>Parameters</h2><dl class="facts">${Object.entries(job.parameters).map(([name, value]) => html`<${Fact} key=${name} word=${name}>${value}<//>`)}</dl></section>`}
    </div>
    ${job.details && html`<h2>Details</h2><pre>${job.details}</pre>`}
    ${job.earlierAttempts.length > 0 && html`<${Attempts} attempts=${job.earlierAttempts} />`}`;
}
