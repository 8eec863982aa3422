/** Saying no, with a reason if one likes: shared by approvals (Deny…) and proposals (Reject…). */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Underway } from "../session";
import { useView } from "../view/context";
import { focusRow } from "../view/row";
import type { WordKey } from "../view/strings";

interface RefusalProps {
  words: { open: WordKey; refuse: WordKey; reason: WordKey };
  onRefuse: (reason: string) => void;
  /** The button that says yes. */
  children: ComponentChildren;
}

export function ReasonedRefusal({ words, onRefuse, children }: RefusalProps): JSX.Element {
  const { say } = useView();
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const fieldId = useId();
  const wasOpen = useRef(false);
  useEffect(() => {
    // Only ever after a press of our own buttons, so no focus is taken that the person did not send here.
    if (isOpen) field.current?.focus();
    else if (wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (!isOpen) {
    return (
      <>
        {children}
        <button type="button" class="button" data-safe="true" ref={opener} onClick={() => setOpen(true)}>
          {say(words.open)}
        </button>
      </>
    );
  }
  return (
    <form
      class="refusal"
      onSubmit={(event) => {
        event.preventDefault();
        focusRow(event.currentTarget);
        onRefuse(field.current!.value.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) setOpen(false);
      }}
    >
      <label class="field-label" for={fieldId}>
        {say(words.reason)}
      </label>
      <input class="field-input" id={fieldId} ref={field} autocomplete="off" />
      <div class="button-line">
        <button type="submit" class="button" data-safe="true">
          {say(words.refuse)}
        </button>
        <button type="button" class="button quiet" onClick={() => setOpen(false)}>
          {say("view.cancel")}
        </button>
      </div>
    </form>
  );
}

/** In place of the buttons once an answer was given: where it is. */
export function UnderwayNote({ underway }: { underway: Underway }): JSX.Element {
  const { say } = useView();
  return (
    <span class="underway" role="status">
      {say(underway === "sending" ? "view.sending" : "view.queued_cell")}
    </span>
  );
}
