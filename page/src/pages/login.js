/** The way in: `berth open` on the server's machine, or a token. */
import { html, useState } from '../html.js';
import { logIn } from '../session.js';

/** A form for a token; `done` is called when it was taken. */
export function Login({ done }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async event => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await logIn(token);
      done();
    } catch (e) {
      setError(e);
    } finally {
      setBusy(false);
    }
  };
  return html`
    <section class="login">
      <h1>Berth</h1>
      <p>On the server's machine one command opens this page, logged in:</p>
      <pre>berth open</pre>
      <p>From elsewhere a token does. It is made there:</p>
      <pre>berth token create</pre>
      <form onSubmit=${submit}>
        <label for="token">Token</label>
        <div class="bar">
          <input id="token" class="grow" type="password" autocomplete="off" spellcheck="false" required
            value=${token} onInput=${event => setToken(event.target.value)} placeholder="berth_…"
            aria-invalid=${error !== null} aria-describedby="token-error" />
          <button class="primary" type="submit" disabled=${isBusy || token.trim() === ''}>Log in</button>
        </div>
        <p id="token-error" role="alert" class=${error ? 'banner bad' : ''}>${error?.message}</p>
      </form>
    </section>`;
}
