/**
 * The row: the one component that carries all agent activity.
 *
 * Stage: view. A row is a line (glyph, title in words, duration) that opens to a detail, if there is one. Rules it keeps
 * for everybody: the trigger is a real button and holds nothing that can be pressed; a closed detail is not in the page;
 * a row opens and closes by itself at most once, and never again after the person has touched it; what must be pressed
 * (Allow, Deny) stands beside the trigger and stays when the row is closed.
 */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Fold } from "../session";
import type { RowStatus } from "./context";
import { useView } from "./context";
import type { GlyphName } from "./glyph";
import { Glyph, STATUS_GLYPH } from "./glyph";
import { sayDuration } from "./time";
import { visible } from "./visible";

/** A title in pieces, so that a narrow row is cut inside the argument and never inside the verb. */
export interface Title {
  /** "Running " */
  before?: string;
  /** "get_weather"; cut in its middle, after the argument has been cut */
  name: string;
  after?: string;
  /** "Hangzhou", behind a dot; cut in its middle first */
  argument?: string;
}

export interface RowProps {
  /** Stable over the life of the sidebar; the choice of the person is kept under it. */
  id: string;
  kind: string;
  status: RowStatus;
  title: Title;
  glyph?: GlyphName;
  /** Status that the glyph shows, where it is not the row's own: a parent shows the worst of its children. */
  glyphStatus?: RowStatus;
  durationMs?: number | null | undefined;
  /** Whether seconds are counted here while it runs: for work, not for a plan that also waits for people. */
  isTimed?: boolean;
  toolCallId?: string | undefined;
  /** Whether the row would like to be open now, without having been asked. */
  wantsOpen?: boolean;
  /** The detail; drawn only while the row is open. A row without one is a plain line. */
  detail?: (() => ComponentChildren) | undefined;
  /** Shown under the line, open or not: what the person must act on. */
  actions?: ComponentChildren;
  /** Small buttons beside the trigger. */
  beside?: ComponentChildren;
}

export function Row(props: RowProps): JSX.Element {
  const { id, kind, status, detail, actions, beside } = props;
  const title = visibleTitle(props.title);
  const [isOpen, toggle] = useFold(id, props.wantsOpen ?? false);
  const bodyId = useId();
  const { say } = useView();
  const text = plainTitle(title);
  // Said whole: the pieces in which a long title is cut would be read as separate words.
  const label = props.durationMs == null ? text : `${text} ${sayDuration(say, props.durationMs)}`;
  const shown = props.glyphStatus ?? status;
  const line = (
    <>
      <span class="row-glyph" data-status={shown}>
        <Glyph name={props.glyph ?? STATUS_GLYPH[shown]} />
      </span>
      <RowTitle title={title} />
      <RowTime isCounting={status === "running" && props.isTimed === true} durationMs={props.durationMs} />
    </>
  );
  const isShown = isOpen && detail !== undefined;
  return (
    <div class="row" data-testid="aisdk-row" data-kind={kind} data-status={status} data-tool-call-id={props.toolCallId} data-open={isShown || undefined} tabIndex={-1}>
      <div class="row-head">
        {detail ? (
          <button type="button" class="row-line row-trigger" aria-expanded={isShown} aria-controls={bodyId} aria-label={label} title={text} onClick={toggle}>
            <Glyph name={isShown ? "open" : "closed"} />
            {line}
          </button>
        ) : (
          <div class="row-line" title={text}>
            <span class="glyph" />
            {line}
          </div>
        )}
        {beside && <div class="row-beside">{beside}</div>}
      </div>
      {detail && (
        <div id={bodyId} class="row-body" hidden={!isShown}>
          {isShown && detail()}
        </div>
      )}
      {actions && <div class="row-actions">{actions}</div>}
    </div>
  );
}

/** The title as one string: for the tooltip, and for whoever needs it whole. */
export function plainTitle({ before = "", name, after = "", argument }: Title): string {
  return before + name + after + (argument ? ` · ${argument}` : "");
}

/** Names and arguments come from a model: nothing in them may turn around or hide what stands beside them. */
function visibleTitle(title: Title): Title {
  const { before, name, after, argument } = title;
  return {
    name: visible(name),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(argument !== undefined && { argument: visible(argument) }),
  };
}

function RowTitle({ title }: { title: Title }): JSX.Element {
  return (
    <span class="row-title">
      {title.before && <span class="row-verb">{title.before}</span>}
      <Middle class="row-name" text={title.name} />
      {title.after && <span class="row-verb">{title.after}</span>}
      {title.argument && (
        <span class="row-argument">
          <span class="row-dot"> · </span>
          <Middle class="" text={title.argument} />
        </span>
      )}
    </span>
  );
}

/** Characters of a long text that are kept at its end when its middle is cut. */
const KEPT_TAIL = 8;
/** Shorter texts are cut at their end: they hardly ever are. */
const LONG = 24;

/** A text that is cut in its middle when there is no room, by layout alone. */
function Middle({ text, class: name }: { text: string; class: string }): JSX.Element {
  const clean = text.replace(/\s+/g, " ");
  const characters = Array.from(clean.length > 400 ? clean.slice(0, 400) : clean);
  if (characters.length <= LONG) return <span class={`${name} middle-head`}>{clean}</span>;
  return (
    <span class={`${name} middle`}>
      <span class="middle-head">{characters.slice(0, -KEPT_TAIL).join("")}</span>
      <span class="middle-tail">{(clean.length > 400 ? ["…"] : characters.slice(-KEPT_TAIL)).join("")}</span>
    </span>
  );
}

function RowTime({ isCounting, durationMs }: { isCounting: boolean; durationMs: number | null | undefined }): JSX.Element | null {
  const { say, isLive } = useView();
  if (durationMs != null) return <span class="row-time"> {sayDuration(say, durationMs)}</span>;
  return isLive && isCounting ? <Elapsed /> : null;
}

/** Seconds since this row was first seen running: the sign of life of a row that does not move. */
function Elapsed(): JSX.Element {
  const { say } = useView();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const started = performance.now();
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - started) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span class="row-time">{seconds ? say("view.seconds", { n: seconds }) : ""}</span>;
}

/** Whether a row is open, and the function that its trigger calls. */
function useFold(id: string, wantsOpen: boolean): [boolean, () => void] {
  const { folds } = useView().session;
  const fold = nextFold(folds.get(id), wantsOpen);
  if (fold !== undefined) folds.set(id, fold);
  const [, redraw] = useState(0);
  const isOpen = fold === "auto-open" || fold === "user-open";
  const toggle = (): void => {
    folds.set(id, isOpen ? "user-closed" : "user-open");
    redraw((n) => n + 1);
  };
  return [isOpen, toggle];
}

/** Opens once when wanted, closes once when no longer wanted; after that, and after any touch, nothing happens by itself. */
export function nextFold(fold: Fold | undefined, wantsOpen: boolean): Fold | undefined {
  if (fold === undefined) return wantsOpen ? "auto-open" : undefined;
  return fold === "auto-open" && !wantsOpen ? "auto-closed" : fold;
}

/** Moves the focus to the row around `element`: for the moment in which its buttons go away. */
export function focusRow(element: Element | null): void {
  element?.closest<HTMLElement>(".row")?.focus({ preventScroll: true });
}

/** Arrow keys between the rows of a list: an addition to the plain order of Tab, not a replacement. */
export function moveBetweenRows(event: KeyboardEvent): void {
  const trigger = event.target as HTMLElement;
  if (!trigger.classList?.contains("row-trigger") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const isOpen = trigger.getAttribute("aria-expanded") === "true";
  if ((event.key === "ArrowRight" && !isOpen) || (event.key === "ArrowLeft" && isOpen)) trigger.click();
  else if (!focusNext(event.currentTarget as HTMLElement, trigger, event.key)) return;
  event.preventDefault();
}

function focusNext(list: HTMLElement, from: HTMLElement, key: string): boolean {
  const triggers = [...list.querySelectorAll<HTMLElement>(".row-trigger")];
  const at = triggers.indexOf(from);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: triggers.length - 1 }[key];
  if (next === undefined) return false;
  triggers[next]?.focus();
  return true;
}
