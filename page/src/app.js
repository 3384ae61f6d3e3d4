/** The frame of the page: who is logged in, which view is shown, and the keys that work everywhere. */
import { whenUnknown } from './api.js';
import { Fragment, html, render, useEffect, useState } from './html.js';
import { useKeys } from './keys.js';
import { stop } from './live.js';
import { Compare } from './pages/compare.js';
import { Job } from './pages/job.js';
import { Jobs } from './pages/jobs.js';
import { Login } from './pages/login.js';
import { Now } from './pages/now.js';
import { Projects } from './pages/projects.js';
import { Failure } from './parts/common.js';
import { answer, Dialogs } from './parts/dialog.js';
import { followLinks, go, useRoute } from './route.js';
import { logOut, session, useLink } from './session.js';
import { cycleTheme, useTheme } from './theme.js';

const VIEWS = [
  { at: /^\/$/, name: 'Now', view: Now },
  { at: /^\/wall$/, name: 'Wall', view: Now, isWall: true },
  { at: /^\/jobs$/, name: 'Jobs', view: Jobs },
  { at: /^\/jobs\/([^/]+)$/, name: 'Job', view: Job },
  { at: /^\/compare$/, name: 'Compare', view: Compare },
  { at: /^\/projects$/, name: 'Projects', view: Projects },
];
const NAVIGATION = [['/', 'Now'], ['/jobs', 'Jobs'], ['/compare', 'Compare'], ['/projects', 'Projects']];

function Top({ who, path, leave }) {
  const theme = useTheme();
  return html`
    <header class="top">
      <a class="brand" href="/">Berth</a>
      <nav aria-label="Pages">
        ${NAVIGATION.map(([to, name]) => html`
          <a key=${to} href=${to} aria-current=${path === to || (to === '/jobs' && path.startsWith('/jobs/')) ? 'page' : null}>${name}</a>`)}
      </nav>
      <span class="who">
        <button onClick=${cycleTheme} title="Colours: automatic, light or dark">${theme}</button>
        ${who.name === null
          ? html`<a class="button" href="/login">Log in</a>`
          : html`<span title=${`${who.role} on ${who.server}, scope ${who.scope}`}>${who.name}</span><button onClick=${leave}>Log out</button>`}
      </span>
    </header>`;
}

function App() {
  const [who, setWho] = useState(undefined);
  const [error, setError] = useState(null);
  const { path } = useRoute();
  const load = async () => {
    setError(null);
    try {
      await useLink();
    } catch (e) {
      answer(e.message, { isBad: true });
    }
    try {
      setWho(await session());
    } catch (e) {
      setError(e);
    }
  };
  const leave = async () => {
    await logOut();
    stop();
    setWho(null);
  };
  useEffect(() => {
    whenUnknown(() => setWho(before => (before ? null : before)));
    load();
  }, []);
  const found = VIEWS.map(it => ({ ...it, match: it.at.exec(path) })).find(it => it.match);
  useEffect(() => {
    document.body.classList.toggle('wall', Boolean(found?.isWall));
    document.title = (found ? (found.name === 'Job' ? 'Job ' + decodeURIComponent(found.match[1]) : found.name) : 'Not found') + ' · Berth';
  }, [path]);
  if (error) {
    return html`<main><${Failure} error=${error} retry=${load} /></main>`;
  }
  if (who === undefined) {
    return html`<p class="loading">Loading Berth …</p>`;
  }
  if (who === null || path === '/login') {
    return html`<main><${Login} done=${() => { load(); path === '/login' && go('/'); }} /></main>`;
  }
  const View = found?.view;
  return html`
    <${Fragment}>
      <a class="skip" href="#content">Skip to the content</a>
      ${!found?.isWall && html`<${Top} who=${who} path=${path} leave=${leave} />`}
      <main id="content" tabindex="-1">
        ${View
          ? html`<${View} key=${path} who=${who} isWall=${found.isWall} number=${found.match[1] && decodeURIComponent(found.match[1])} />`
          : html`<p class="empty">There is no such page. <a href="/">Show what happens now</a></p>`}
      </main>
    <//>`;
}

function Page() {
  useKeys({ 'g n': () => go('/'), 'g j': () => go('/jobs'), 'g c': () => go('/compare'), 'g p': () => go('/projects') });
  return html`<${App} /><${Dialogs} />`;
}

sessionStorage.removeItem('berth.retries');
const root = document.getElementById('app');
root.textContent = '';
followLinks(document.body);
render(html`<${Page} />`, root);
