import { describe, expect, it } from "vitest";
import type { DiffLine } from "../src/renderers/line_diff";
import { diffLines, foldSame } from "../src/renderers/line_diff";

const SIGN = { same: " ", removed: "-", added: "+" } as const;
const write = (line: DiffLine): string => SIGN[line.kind] + line.pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("");
const diff = (before: string, after: string): string[] => diffLines(before, after).map(write);

describe("the difference of two texts", () => {
  it("keeps what is the same and orders removed before added", () => {
    expect(diff("a\nb\nc", "a\nx\ny\nc")).toEqual([" a", "-b", "+x", "+y", " c"]);
  });

  it("marks the words that changed in a changed line", () => {
    expect(diff("We made very good progress.", "We made progress.")).toEqual(["-We made [very good ]progress.", "+We made progress."]);
  });

  it("takes a Chinese character for a word", () => {
    expect(diff("本周进展很大。", "本周进展顺利。")).toEqual(["-本周进展[很大]。", "+本周进展[顺利]。"]);
  });

  it("is nothing for equal texts and everything for an empty one", () => {
    expect(diff("a", "a")).toEqual([" a"]);
    expect(diff("", "new")).toEqual(["-", "+[new]"]);
  });

  it("gives both texts back", () => {
    const before = Array.from({ length: 60 }, (_, n) => `line ${n % 7}`).join("\n");
    const after = Array.from({ length: 55 }, (_, n) => `line ${(n * 3) % 5}`).join("\n");
    const lines = diffLines(before, after).map((line) => ({ kind: line.kind, text: line.pieces.map((piece) => piece.text).join("") }));
    expect(lines.filter((line) => line.kind !== "added").map((line) => line.text).join("\n")).toBe(before); // prettier-ignore
    expect(lines.filter((line) => line.kind !== "removed").map((line) => line.text).join("\n")).toBe(after); // prettier-ignore
  });

  it("of two huge texts is coarse, but quick and complete", () => {
    const before = Array.from({ length: 3_000 }, (_, n) => `a${n}`).join("\n");
    const after = Array.from({ length: 3_000 }, (_, n) => `b${n}`).join("\n");
    expect(diffLines(before, after).filter((line) => line.kind === "added")).toHaveLength(3_000);
  });

  it("folds what is far from any change", () => {
    const same = Array.from({ length: 9 }, (_, n) => `s${n}`);
    const rows = foldSame(diffLines([...same, "old"].join("\n"), [...same, "new"].join("\n")));
    expect(rows.map((row) => (row.kind === "skipped" ? row.count : row.kind))).toEqual([6, "same", "same", "same", "removed", "added"]);
  });
});
