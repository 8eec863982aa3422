/**
 * One view on a page: a shadow root with our styles, drawn at most once a frame.
 *
 * Stage: view. A shadow root keeps the notebook's rules from our elements and ours from its; the theme's custom properties
 * pass through it. However many batches arrive, the panel is drawn once per animation frame, and when drawing is slow
 * (a very long open block) the next frame waits in proportion, so that the page stays usable.
 */

import { render } from "preact";
import { hasHostColors, hideTwin, hostLanguage, hostScheme, keepKeys, watchScheme } from "../host";
import type { Session } from "../session";
import { Panel } from "./panel";
import type { Language } from "./strings";
import css from "./styles.css";

/** A frame that took longer than this makes the next one wait. */
const SLOW_MS = 10;
const WAIT_FACTOR = 3;

/** Draws the session into `el` until the returned function is called. */
export function mount(session: Session, el: HTMLElement): () => void {
  const root = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  adoptStyles(root);
  const stage = document.createElement("div");
  stage.className = "stage";
  root.append(stage);
  const draw = (): void => {
    dressHost(session, el);
    render(<Panel {...panelProps(session)} />, stage);
  };
  const frames = new Frames(draw);
  const cleanUps = [keepKeys(el), hideTwin(el), session.subscribe(frames.request), watchScheme(frames.request), () => frames.stop()];
  draw();
  return () => {
    for (const cleanUp of cleanUps) cleanUp();
    render(null, stage);
    stage.remove();
  };
}

function panelProps(session: Session): Parameters<typeof Panel>[0] {
  const { document, connection } = session;
  return { session, document, connection, language: languageOf(session), height: heightOf(session), decisions: session.decisions };
}

/** The trait, if it names a language; else the kernel's word, if that is Chinese; else that of the page. */
function languageOf(session: Session): Language {
  const chosen = session.model.get("language");
  if (chosen === "en" || chosen === "zh") return chosen;
  return session.document.language === "zh" ? "zh" : hostLanguage();
}

/** A dock that holds us sets `--aisdk-sidebar-height: 100%`; in a notebook's output the trait decides. */
function heightOf(session: Session): string {
  const height = session.model.get("height_px");
  return `var(--aisdk-sidebar-height, ${typeof height === "number" && height > 0 ? `${height}px` : "520px"})`;
}

function dressHost(session: Session, el: HTMLElement): void {
  const theme = session.model.get("theme");
  const isForced = theme === "light" || theme === "dark";
  el.dataset["scheme"] = isForced ? theme : hostScheme();
  // A forced theme cannot use the page's colours: they belong to the other one.
  el.dataset["colors"] = !isForced && hasHostColors() ? "host" : "own";
  el.classList.add("aisdk-sidebar");
}

let sheet: CSSStyleSheet | undefined;

function adoptStyles(root: ShadowRoot): void {
  if ("adoptedStyleSheets" in root) {
    sheet ??= new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } else {
    const style = document.createElement("style");
    style.textContent = css;
    (root as ShadowRoot).append(style);
  }
}

/** At most one drawing a frame; after a slow one, a pause in which nothing is drawn. */
export class Frames {
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;
  readonly #draw: () => void;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  readonly request = (): void => {
    if (this.#frame !== undefined || this.#timer !== undefined) return;
    const pause = this.#notBefore - performance.now();
    if (pause <= 0) this.#frame = requestAnimationFrame(this.#run);
    else {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.request();
      }, pause);
    }
  };

  readonly #run = (): void => {
    this.#frame = undefined;
    const start = performance.now();
    this.#draw();
    const end = performance.now();
    if (end - start > SLOW_MS) this.#notBefore = end + WAIT_FACTOR * (end - start);
  };

  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
  }
}
