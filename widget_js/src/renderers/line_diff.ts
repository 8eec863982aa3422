/**
 * The difference between two texts: lines, and inside a changed line the words.
 *
 * Longest common subsequence by dynamic programming, after the common head and tail were set aside. Texts of which the
 * differing middles would need more than four million cells are shown as "all of this, then all of that": correct, coarse.
 */

export interface DiffLine {
  kind: "same" | "removed" | "added";
  /** The line in pieces; marked ones are what changed within it. */
  pieces: { text: string; isChanged: boolean }[];
}

export type DiffRow = DiffLine | { kind: "skipped"; count: number };

const MOST_CELLS = 4_000_000;
/** Unchanged lines shown around a change. */
const CONTEXT = 3;

export function diffLines(before: string, after: string): DiffLine[] {
  const left = before.split("\n");
  const right = after.split("\n");
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const middle = diffMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail));
  return [...left.slice(0, head).map(same), ...markWords(middle), ...left.slice(left.length - tail).map(same)];
}

/** The same lines with long unchanged stretches replaced by their number. */
export function foldSame(lines: readonly DiffLine[]): DiffRow[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.kind !== "same"),
  );
  const rows: DiffRow[] = [];
  lines.forEach((line, index) => {
    const last = rows.at(-1);
    if (isNear[index]) rows.push(line);
    else if (last?.kind === "skipped") last.count++;
    else rows.push({ kind: "skipped", count: 1 });
  });
  return rows;
}

function diffMiddle(left: string[], right: string[]): DiffLine[] {
  const width = right.length + 1;
  if (left.length * right.length > MOST_CELLS) return [...left.map(removed), ...right.map(added)];
  const longest = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        left[i] === right[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; ) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(same(left[i++]!));
      j++;
    } else if (j >= right.length || (i < left.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push(removed(left[i++]!));
    } else {
      lines.push(added(right[j++]!));
    }
  }
  return lines;
}

/** In runs of as many removed as added lines, line by line, marks what lies between their common head and tail. */
function markWords(lines: DiffLine[]): DiffLine[] {
  const marked = lines.slice();
  for (let start = 0; start < lines.length; ) {
    const removedEnd = runEnd(lines, start, "removed");
    const addedEnd = runEnd(lines, removedEnd, "added");
    const count = removedEnd - start;
    if (count > 0 && count === addedEnd - removedEnd) {
      for (let k = 0; k < count; k++) {
        const [left, right] = markPair(lineText(lines[start + k]!), lineText(lines[removedEnd + k]!));
        marked[start + k] = { kind: "removed", pieces: left };
        marked[removedEnd + k] = { kind: "added", pieces: right };
      }
    }
    start = Math.max(addedEnd, start + 1);
  }
  return marked;
}

function runEnd(lines: DiffLine[], start: number, kind: DiffLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end;
}

function markPair(before: string, after: string): [DiffLine["pieces"], DiffLine["pieces"]] {
  const left = words(before);
  const right = words(after);
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  return [piecesOf(left, head, tail), piecesOf(right, head, tail)];
}

function piecesOf(parts: string[], head: number, tail: number): DiffLine["pieces"] {
  const end = parts.length - tail;
  const pieces = [
    { text: parts.slice(0, head).join(""), isChanged: false },
    { text: parts.slice(head, end).join(""), isChanged: true },
    { text: parts.slice(end).join(""), isChanged: false },
  ];
  return pieces.filter((piece) => piece.text);
}

/** Words with their spaces; a Chinese character is a word. */
function words(line: string): string[] {
  return line.match(/[\p{Script=Han}]|[\p{L}\p{N}_]+|\s+|./gu) ?? [];
}

function lineText(line: DiffLine): string {
  return line.pieces.map((piece) => piece.text).join("");
}

const plain = (kind: DiffLine["kind"]) => (text: string): DiffLine => ({ kind, pieces: [{ text, isChanged: false }] });
const same = plain("same");
const removed = plain("removed");
const added = plain("added");
