/**
 * Growing Markdown, cut into blocks of which only the last one is read again.
 *
 * Stage: view. A block is closed when another one has begun behind it; closed blocks keep their object, so that their
 * pixels are kept too. An open code fence is not even read again: its text is handed on as it grows. When the text is
 * finished it is read once as a whole, because a link definition at the end may name links far above.
 */

import type { Token } from "marked";
import { Marked } from "marked";
import { repairBlock } from "./repair";

export interface ProseBlock {
  kind: "prose";
  /** Identity of what is drawn: equal text is equal pixels. */
  source: string;
  html: string;
}

export interface CodeBlock {
  kind: "code";
  source: string;
  language: string;
  text: string;
  isOpen: boolean;
}

/** Text that the Markdown reader gave up on: shown as it is. */
export interface PlainBlock {
  kind: "plain";
  source: string;
}

export type Block = ProseBlock | CodeBlock | PlainBlock;

const marked = new Marked({ gfm: true, breaks: false, async: false });

/** Opening fence at the start of a block: its indentation, its marks, its language. */
const FENCE = /^( {0,3})(`{3,}|~{3,})([^\n`]*)\n/;

export class MarkdownReader {
  #closed: Block[] = [];
  /** The text that `#closed` stands for. */
  #consumed = "";
  #finished: { text: string; blocks: Block[] } | undefined;

  /** The blocks of `text`. While it streams it should only grow; when it did not, everything is read anew. */
  read(text: string, isStreaming: boolean): readonly Block[] {
    try {
      return isStreaming ? this.#readGrowing(text) : this.#readFinished(text);
    } catch (error) {
      // Two thousand nested quotes exhaust the stack (marked 18.2.1); the words are still worth reading.
      console.warn("[aisdk-lab] this text is not readable as Markdown:", error);
      this.#reset();
      return [{ kind: "plain", source: text }];
    }
  }

  #readGrowing(text: string): readonly Block[] {
    this.#finished = undefined;
    if (!text.startsWith(this.#consumed)) this.#reset();
    const tail = text.slice(this.#consumed.length);
    const open = this.#advance(tail);
    return open ? [...this.#closed, open] : this.#closed.slice();
  }

  #reset(): void {
    this.#closed = [];
    this.#consumed = "";
  }

  #readFinished(text: string): readonly Block[] {
    if (this.#finished?.text !== text) {
      const known = new Map(this.#closed.map((block) => [block.source, block]));
      const blocks = marked
        .lexer(text)
        .map((token) => blockOf(token, known))
        .filter((block) => block !== undefined);
      this.#finished = { text, blocks };
      this.#reset();
    }
    return this.#finished.blocks;
  }

  /** Moves every closed block of the tail to `#closed`; gives the open one, as it is to be drawn now. */
  #advance(tail: string): Block | undefined {
    const fence = openFence(tail);
    if (fence) return fence;
    const tokens = marked.lexer(tail);
    const last = tokens.findLastIndex((token) => token.type !== "space");
    let at = 0;
    for (const token of tokens.slice(0, Math.max(last, 0))) {
      // The lexer normalises line ends; where its text is not ours, nothing can be closed and the tail stays one block.
      if (!tail.startsWith(token.raw, at)) break;
      const block = blockOf(token);
      if (block) this.#closed.push(block);
      at += token.raw.length;
    }
    this.#consumed += tail.slice(0, at);
    const rest = tail.slice(at);
    if (last < 0) return undefined;
    const fenceBehind = openFence(rest);
    if (fenceBehind) return fenceBehind;
    const token = tokens[last]!;
    if (token.type === "code" && rest.startsWith(token.raw)) return blockOf(token);
    const source = repairBlock(rest);
    return { kind: "prose", source, html: marked.parse(source, { async: false }) };
  }
}

/** The tail as a code block, if it is a fence without an end. */
function openFence(tail: string): CodeBlock | undefined {
  const start = FENCE.exec(tail);
  if (!start) return undefined;
  const [head, , marks, info] = start as unknown as [string, string, string, string];
  const close = new RegExp(`(?:^|\\n) {0,3}\\${marks[0]}{${marks.length},}[ \\t]*(?:\\n|$)`);
  const body = tail.slice(head.length);
  if (close.test(body)) return undefined;
  return { kind: "code", source: `fence:${head}`, language: languageOf(info), text: body, isOpen: true };
}

function languageOf(info: string | undefined): string {
  return /^\s*([\w+#.-]+)/.exec(info ?? "")?.[1] ?? "";
}

function blockOf(token: Token, known?: ReadonlyMap<string, Block>): Block | undefined {
  if (token.type === "space" || token.type === "def") return undefined;
  if (token.type === "code") {
    const { text, lang } = token as { text: string; lang?: string };
    return { kind: "code", source: token.raw, language: languageOf(lang), text, isOpen: false };
  }
  const html = marked.parser([token]);
  const same = known?.get(token.raw);
  // A link definition that came later changes the HTML of the same source.
  return same?.kind === "prose" && same.html === html ? same : { kind: "prose", source: token.raw, html };
}
