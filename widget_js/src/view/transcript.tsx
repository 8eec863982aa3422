/**
 * The transcript and its reading position.
 *
 * It follows the end only while the reader is there. Any scrolling away, and any opening of a row, lets go; the chip and
 * scrolling back to the end take hold again. The page around us is never scrolled.
 */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useView } from "./context";
import { Glyph } from "./glyph";
import { moveBetweenRows } from "./row";

/** Pixels from the end within which the reader counts as being there. */
const EDGE_PX = 24;

interface TranscriptProps {
  children: ComponentChildren;
  isBusy: boolean;
  /** A change of it takes hold of the end again: the person has just sent something. */
  sent: number;
  /** Identity of what is shown; a change of it may have made the content longer. */
  version: unknown;
}

export function Transcript({ children, isBusy, sent, version }: TranscriptProps): JSX.Element {
  const { say } = useView();
  const viewport = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);

  const look = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = viewport.current!;
    setAtEnd(scrollHeight - scrollTop - clientHeight <= EDGE_PX);
  };
  const toEnd = (): void => {
    const element = viewport.current!;
    element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    isFollowing.current = true;
  }, [sent]);
  useLayoutEffect(() => {
    if (isFollowing.current) toEnd();
    look();
  }, [version, sent]);
  useEffect(() => {
    if (typeof ResizeObserver === "undefined") return;
    // A picture that is drawn late, or a panel that is resized, moves the end without any change of the document.
    const observer = new ResizeObserver(() => {
      if (!viewport.current) return;
      if (isFollowing.current) toEnd();
      look();
    });
    observer.observe(content.current!);
    observer.observe(viewport.current!);
    return () => observer.disconnect();
  }, []);
  const scrolled = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = viewport.current!;
    isFollowing.current = scrollHeight - scrollTop - clientHeight <= EDGE_PX;
    setAtEnd(isFollowing.current);
  };
  return (
    <div class="transcript">
      <div
        class="viewport"
        ref={viewport}
        tabIndex={0}
        role="region"
        aria-label={say("view.messages")}
        onScroll={scrolled}
        onClickCapture={(event) => {
          if ((event.target as Element).closest?.(".row-trigger, .link-button")) isFollowing.current = false;
        }}
        onKeyDown={moveBetweenRows}
      >
        <div class="content" ref={content} role="log" aria-relevant="additions" aria-busy={isBusy}>
          {children}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          class="chip"
          onClick={() => {
            isFollowing.current = true;
            toEnd();
            viewport.current!.focus({ preventScroll: true });
          }}
        >
          <Glyph name="down" />
          {say("view.jump")}
        </button>
      )}
    </div>
  );
}
