/**
 * Unfinished Markdown, made to look finished.
 *
 * Stage: view. While the last block grows, an open `**` or an open link would be drawn raw and then change shape; closing
 * it for the eye alone keeps the text still. Only inline syntax needs this: an open code fence runs to the end anyway.
 * Simple on purpose: what it gets wrong is drawn wrong for some milliseconds, and never stored.
 */

const PAIRS = ["**", "__", "~~", "*", "_"] as const;

/** `block` with its open inline marks closed, and with a half-written link or mark at its end taken away. */
export function repairBlock(block: string): string {
  let text = withoutHalfSetext(block);
  text = withoutHalfLink(text);
  const { open, codeOpen, lastMark } = scan(text);
  if (codeOpen) return text + codeOpen;
  // A mark with nothing behind it yet opens nothing: `**` alone would close into `****`.
  if (lastMark && open.at(-1) === lastMark && text.endsWith(lastMark)) {
    text = text.slice(0, -lastMark.length).trimEnd();
    open.pop();
  }
  const trimmed = text.trimEnd(); // `**bold **` is no emphasis
  return trimmed + open.reverse().join("") + (open.length ? "" : text.slice(trimmed.length));
}

/** A last line of only `-` or `=` would turn the paragraph above into a heading until its list item has words. */
function withoutHalfSetext(text: string): string {
  return text.replace(/\n {0,3}(-+|=+)[ \t]*$/, "");
}

/** `[text](http` → `text`; `![alt](http` → nothing: it is drawn when it is whole. */
function withoutHalfLink(text: string): string {
  return text.replace(/(!?)\[([^[\]\n]*)(?:\](?:\([^()\s]*)?)?$/, (half, image: string, label: string) => {
    if (image) return "";
    return half.includes("](") || !half.endsWith("]") ? label : half;
  });
}

interface Scan {
  open: string[];
  codeOpen: string;
  lastMark: string;
}

/** Walks over the inline text once and notes which marks are open at its end. */
function scan(text: string): Scan {
  const open: string[] = [];
  let lastMark = "";
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === "\\") {
      at += 2;
    } else if (char === "`") {
      const ticks = /^`+/.exec(text.slice(at))![0];
      const close = text.indexOf(ticks, at + ticks.length);
      if (close < 0) return { open, codeOpen: ticks, lastMark };
      at = close + ticks.length;
    } else {
      const mark = PAIRS.find((pair) => text.startsWith(pair, at));
      if (mark && countsAsMark(text, at, mark)) {
        if (open.at(-1) === mark) open.pop();
        else if (!open.includes(mark)) open.push(mark);
        lastMark = mark;
      }
      at += mark?.length ?? 1;
    }
  }
  return { open, codeOpen: "", lastMark };
}

/** `2 * 3`, `snake_case` and a list's `* ` are not emphasis. */
function countsAsMark(text: string, at: number, mark: string): boolean {
  const before = text[at - 1] ?? "\n";
  const after = text[at + mark.length] ?? "";
  if (/\s/.test(before) && /\s/.test(after)) return false;
  if (mark.startsWith("_") && /\w/.test(before) && /\w/.test(after)) return false;
  return !(mark === "*" && before === "\n" && after === " ");
}
