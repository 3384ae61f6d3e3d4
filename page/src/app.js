import { html, render } from "/parts/html.js";

render(html`<p>Berth</p>`, document.getElementById("app"));
