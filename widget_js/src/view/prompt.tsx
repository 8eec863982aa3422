/**
 * The prompt: words in, Send and Stop in one place.
 *
 * Enter sends, Shift+Enter makes a line, and while an input method composes neither does anything. The text leaves the field
 * at once, so what is typed next is not lost. While a question waits for the person, or there is nobody to send to, the
 * field says why; words can be prepared meanwhile.
 */

import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useView } from "./context";
import { Glyph } from "./glyph";

interface PromptProps {
  title: string;
  isBusy: boolean;
  /** Why nothing can be sent now, in words; `undefined` when it can. */
  blocked: string | undefined;
  /** Nothing was heard of the kernel yet: what is sent now waits for it, here, where it can still be changed. */
  isConnecting: boolean;
  /** Leads to what blocks, if it can be gone to. */
  onShow: (() => void) | undefined;
  draft: string;
  onDraft: (text: string) => void;
  onSend: (text: string) => void;
  onStop: () => void;
}

const MOST_LINES = 6;

export function Prompt(props: PromptProps): JSX.Element {
  const { say } = useView();
  const [text, setText] = useState(props.draft);
  const field = useRef<HTMLTextAreaElement>(null);
  const reasonId = useId();
  useLayoutEffect(() => fit(field.current!), [text]);
  useLayoutEffect(() => fitAtEachWidth(field.current!), []);
  const change = (value: string): void => {
    setText(value);
    props.onDraft(value);
  };
  const canSend = !props.isBusy && props.blocked === undefined && text.trim() !== "";
  const isMeant = useRef(false);
  const send = (): void => {
    isMeant.current = props.isConnecting;
    if (!canSend) return;
    props.onSend(text.trim());
    change("");
  };
  useEffect(() => {
    if (!props.isConnecting && isMeant.current) send();
  }, [props.isConnecting]);
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {props.blocked !== undefined && (
        <div class="prompt-reason" id={reasonId}>
          <span>{props.blocked}</span>
          {props.onShow && (
            <button type="button" class="link-button" onClick={props.onShow}>
              {say("view.go_to_waiting")}
            </button>
          )}
        </div>
      )}
      <div class="prompt-box">
        <textarea
          ref={field}
          class="prompt-field"
          rows={1}
          value={text}
          aria-label={say("view.prompt")}
          aria-describedby={props.blocked === undefined ? undefined : reasonId}
          placeholder={say("view.prompt.hint", { title: props.title })}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            send();
          }}
        />
        {props.isBusy ? (
          <button type="button" class="prompt-button stop" aria-label={say("view.stop")} title={say("view.stop")} onClick={props.onStop}>
            <Glyph name="stop" />
          </button>
        ) : (
          <button type="submit" class="prompt-button send" aria-label={say("view.send")} title={say("view.send")} aria-disabled={!canSend || undefined}>
            <Glyph name="send" />
          </button>
        )}
      </div>
    </form>
  );
}

/** Chromium ends a composition before the Enter that ended it arrives, and marks that key with code 229. */
function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Gives the field the height of its text, up to six lines; without a layout, that of its `rows`. */
function fit(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  // Not in the page yet, or hidden: the text has no height, and zero would stay when the field appears.
  if (field.offsetHeight === 0) return;
  const lineHeight = parseFloat(getComputedStyle(field).lineHeight) || 19;
  const padding = field.offsetHeight - field.clientHeight + 8;
  const most = lineHeight * MOST_LINES + padding;
  field.style.height = `${Math.min(field.scrollHeight, most)}px`;
  field.style.overflowY = field.scrollHeight > most ? "auto" : "hidden";
}

/** Measures again whenever the field gets another width: when it appears, and when its lines break elsewhere. */
function fitAtEachWidth(field: HTMLTextAreaElement): (() => void) | undefined {
  if (typeof ResizeObserver === "undefined") return undefined;
  let width = -1;
  let frame = 0;
  const observer = new ResizeObserver(() => {
    if (field.offsetWidth === width) return; // our own change of the height
    width = field.offsetWidth;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => fit(field)); // changing a size within the observer would be reported as a loop
  });
  observer.observe(field);
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}
