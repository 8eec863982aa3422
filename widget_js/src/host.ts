/**
 * The page that we live in: its theme, its server, its keys, and the static twin of our output.
 *
 * Stage: view. Everything that depends on JupyterLab, Notebook 7, marimo or VS Code is here, each with what happens when
 * the page is none of them.
 */

import type { Model, RelayAddress } from "./carrier";

/** Where the relay is, or `undefined` when this page is not served by a Jupyter server. */
export function relayAddress(model: Model): RelayAddress | undefined {
  const kernel = model.get("kernel_id");
  const session = model.get("session");
  const base = jupyterBase();
  if (typeof kernel !== "string" || !kernel || typeof session !== "string" || !session || !base) return undefined;
  const path = `aisdk-lab/k/${encodeURIComponent(kernel)}/widget/${encodeURIComponent(session)}`;
  return { url: base + path, xsrfToken: () => cookie("_xsrf") };
}

/** Base address of the Jupyter server with a slash at its end; only ever the origin of the page. */
function jupyterBase(): string | undefined {
  const config = document.getElementById("jupyter-config-data")?.textContent;
  if (!config) return undefined;
  try {
    const { baseUrl } = JSON.parse(config) as { baseUrl?: unknown };
    if (typeof baseUrl !== "string") return undefined;
    const base = new URL(baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`, location.href);
    return base.origin === location.origin ? base.href : undefined;
  } catch {
    return undefined; // not the configuration that we know: the comm needs none
  }
}

function cookie(name: string): string | undefined {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found && decodeURIComponent(found.slice(name.length + 1));
}

export type Scheme = "light" | "dark";

/** Whether the page is dark: what the page says about itself counts before what the person's system prefers. */
export function hostScheme(): Scheme {
  const { body, documentElement: root } = document;
  const jupyter = body.dataset["jpThemeLight"];
  if (jupyter !== undefined) return jupyter === "false" ? "dark" : "light";
  const vscode = body.dataset["vscodeThemeKind"];
  if (vscode !== undefined) return vscode.includes("light") ? "light" : "dark";
  const named = [root.dataset["theme"], body.dataset["theme"], ...root.classList, ...body.classList];
  if (named.includes("dark")) return "dark";
  if (named.includes("light")) return "light";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Whether the page brings JupyterLab's theme variables; a page without them gets our own colours, unmixed. */
export function hasHostColors(): boolean {
  return getComputedStyle(document.body).getPropertyValue("--jp-ui-font-color1").trim() !== "";
}

/** Calls back whenever the page's theme may have changed; gives the function that stops it. */
export function watchScheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  const attributes = { attributes: true, attributeFilter: ["class", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"] };
  observer.observe(document.body, attributes);
  observer.observe(document.documentElement, attributes);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}

/** JupyterLab sets `lang` to the language of its own interface; elsewhere the browser's language is the best guess. */
export function hostLanguage(): "en" | "zh" {
  const lang = document.documentElement.lang || navigator.language || "en";
  return lang.toLowerCase().startsWith("zh") ? "zh" : "en";
}

const KEPT_EVENTS = ["keydown", "keyup", "keypress", "input", "beforeinput", "compositionstart", "compositionend", "copy", "cut", "paste"] as const;

/**
 * Keeps what is typed here from the page: JupyterLab's notebook acts on single letters.
 *
 * The attribute stops JupyterLab's own listener, which captures at the document before us (it looks for the attribute on
 * the way up from the event's target, which is `el`, because of the shadow root); stopping the bubbling stops the rest.
 */
export function keepKeys(el: HTMLElement): () => void {
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const stop = (event: Event): void => event.stopPropagation();
  for (const name of KEPT_EVENTS) el.addEventListener(name, stop);
  return () => {
    for (const name of KEPT_EVENTS) el.removeEventListener(name, stop);
  };
}

/**
 * Hides the static HTML twin of our output while we are alive, and shows it again afterwards.
 *
 * The twin (`.aisdk-static`) is a second output of the same cell, for the saved file and for a page without a kernel. It
 * is looked for after a turn of the event loop: while `render` runs, `el` is not in the page yet.
 */
export function hideTwin(el: HTMLElement): () => void {
  const hidden: HTMLElement[] = [];
  const timer = setTimeout(() => {
    for (const twin of el.closest(".jp-OutputArea")?.querySelectorAll<HTMLElement>(".aisdk-static") ?? []) {
      const output = twin.closest<HTMLElement>(".jp-OutputArea-child") ?? twin;
      if (output.contains(el) || output.style.display === "none") continue;
      output.style.display = "none";
      hidden.push(output);
    }
  });
  return () => {
    clearTimeout(timer);
    for (const output of hidden) output.style.display = "";
  };
}
