/**
 * Text of any length: the first lines, and the rest in pieces when asked.
 *
 * Stage: view. A tool may print ten thousand lines. Twelve are drawn; each further request draws some hundred more, in an
 * element of its own, so that the page never has to lay out everything at once, and text that grows at its end changes
 * only the last element.
 */

import type { JSX } from "preact";
import { memo } from "./memo";
import { useRef, useState } from "preact/hooks";
import { useView } from "./context";
import type { Say } from "./strings";

export interface Limits {
  /** Lines shown unasked. */
  firstLines: number;
  firstCharacters: number;
}

export const DETAIL_LIMITS: Limits = { firstLines: 12, firstCharacters: 4_000 };
export const PROSE_CODE_LIMITS: Limits = { firstLines: 40, firstCharacters: 12_000 };

const PIECE_LINES = 500;
const PIECE_CHARACTERS = 40_000;

/** Cuts a text into pieces at line ends; remembers where it was, so that appended text is looked at once. */
export class Pieces {
  /** Ends of the finished pieces, as offsets into the text. */
  readonly ends: number[] = [];
  lines = 0;
  #text = "";
  #start = 0;
  #scanned = 0;
  #pieceLines = 0;

  constructor(readonly limits: Limits) {}

  update(text: string): this {
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    while (this.#scanned < text.length) {
      const lineEnd = text.indexOf("\n", this.#scanned);
      const stop = lineEnd < 0 ? text.length : lineEnd + 1;
      const room = this.#start + this.#maxCharacters - this.#scanned;
      let next = Math.min(stop, this.#scanned + room);
      if (next < stop && /[\uD800-\uDBFF]/.test(text[next - 1]!)) next++; // never between the halves of a character
      if (next === stop && lineEnd >= 0) {
        this.lines++;
        this.#pieceLines++;
      }
      this.#scanned = next;
      const isFull = this.#pieceLines >= this.#maxLines || this.#scanned - this.#start >= this.#maxCharacters;
      if (isFull) this.#closePiece();
    }
    return this;
  }

  /** All lines of the text; a last line without an end counts. */
  get allLines(): number {
    return this.lines + (this.#text === "" || this.#text.endsWith("\n") ? 0 : 1);
  }

  /** The text of piece `index`; the last one may still grow. */
  piece(index: number): string {
    return this.#text.slice(this.ends[index - 1] ?? 0, this.ends[index]);
  }

  get count(): number {
    return this.ends.length + (this.#start < this.#text.length ? 1 : 0);
  }

  get #maxLines(): number {
    return this.ends.length ? PIECE_LINES : this.limits.firstLines;
  }

  get #maxCharacters(): number {
    return this.ends.length ? PIECE_CHARACTERS : this.limits.firstCharacters;
  }

  #closePiece(): void {
    this.ends.push(this.#scanned);
    this.#start = this.#scanned;
    this.#pieceLines = 0;
  }

  #reset(): void {
    this.ends.length = 0;
    this.lines = this.#start = this.#scanned = this.#pieceLines = 0;
  }
}

interface LongTextProps {
  text: string;
  limits?: Limits;
  /** While true everything is shown: what grows must be seen at its end. */
  showsAll?: boolean;
}

export function LongText({ text, limits = DETAIL_LIMITS, showsAll = false }: LongTextProps): JSX.Element {
  const { say } = useView();
  const pieces = (useRef<Pieces>(null).current ??= new Pieces(limits)).update(text);
  const [wanted, setWanted] = useState(1);
  const wasShown = useRef(1);
  if (showsAll) wasShown.current = pieces.count; // closing again what was just read would make the page jump
  const shown = Math.min(pieces.count, Math.max(wanted, wasShown.current));
  const isCut = shown < pieces.count;
  return (
    <>
      <code class="long-text">
        {Array.from({ length: shown }, (_, index) => (
          <Piece key={index} text={pieces.piece(index)} />
        ))}
      </code>
      {isCut && (
        <span class="long-more">
          <button type="button" class="link-button" onClick={() => setWanted(shown + 1)}>
            {sayMore(say, pieces, shown, text.length)}
          </button>
        </span>
      )}
      {!isCut && wanted > 1 && (
        <span class="long-more">
          <button type="button" class="link-button" onClick={() => setWanted(1)}>
            {say("view.show_less")}
          </button>
        </span>
      )}
    </>
  );
}

const Piece = memo(function Piece({ text }: { text: string }): JSX.Element {
  return <span>{text}</span>;
});

function sayMore(say: Say, pieces: Pieces, shown: number, characters: number): string {
  const { allLines, limits } = pieces;
  const grouped = (n: number): string => n.toLocaleString("en");
  if (allLines <= limits.firstLines) return say("view.show_characters", { n: grouped(characters) });
  const linesShown = Math.min(limits.firstLines + (shown - 1) * PIECE_LINES, allLines);
  if (shown === 1) return say("view.show_all", { n: grouped(allLines) });
  return say("view.show_more", { n: Math.min(PIECE_LINES, allLines - linesShown), left: grouped(allLines - linesShown) });
}
