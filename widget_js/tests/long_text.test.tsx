import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { LongText, Pieces } from "../src/view/long_text";

const stage = document.createElement("div");
afterEach(() => render(null, stage));

const lines = (n: number): string => Array.from({ length: n }, (_, index) => `line ${index}\n`).join("");
const button = (): HTMLButtonElement => stage.querySelector("button")!;
const shownLines = (): number => stage.querySelector("code")!.textContent!.split("\n").length - 1;

describe("ten thousand lines", () => {
  it("show twelve, then five hundred more at each request, then fewer again", async () => {
    await act(() => render(<LongText text={lines(1_200)} />, stage));
    const seen: [number, string][] = [];
    for (let n = 0; n < 5; n++) {
      seen.push([shownLines(), button().textContent!]);
      await act(() => button().click());
    }
    expect(seen).toEqual([
      [12, "Show all 1,200 lines"],
      [512, "Show 500 more of 688 lines"],
      [1_012, "Show 188 more of 188 lines"],
      [1_200, "Show less"],
      [12, "Show all 1,200 lines"],
    ]);
  });

  it("one endless line is cut too, never between the halves of a character", async () => {
    await act(() => render(<LongText text={`a${"🌤".repeat(10_000)}`} />, stage));
    expect(stage.querySelector("code")!.textContent!.endsWith("🌤")).toBe(true);
    expect(button().textContent).toBe("Show all 20,001 characters");
  });

  it("a short text has no button", async () => {
    await act(() => render(<LongText text={lines(12)} />, stage));
    expect([shownLines(), stage.querySelector("button")]).toEqual([12, null]);
  });

  it("text that grew before the reader's eyes stays whole when it is finished", async () => {
    await act(() => render(<LongText text={lines(600)} showsAll />, stage));
    await act(() => render(<LongText text={lines(600)} />, stage));
    expect(shownLines()).toBe(600);
  });
});

describe("pieces", () => {
  it("are the same whether the text came at once or letter by letter", () => {
    const text = lines(700);
    const growing = new Pieces({ firstLines: 12, firstCharacters: 4_000 });
    for (let end = 0; end <= text.length; end += 7) growing.update(text.slice(0, end));
    const atOnce = new Pieces({ firstLines: 12, firstCharacters: 4_000 }).update(text);
    expect(growing.update(text).ends).toEqual(atOnce.ends);
    expect([growing.allLines, growing.count]).toEqual([700, atOnce.count]);
  });

  it("that are closed are not touched by text that is appended", async () => {
    await act(() => render(<LongText text={lines(600)} showsAll />, stage));
    const before = [...stage.querySelectorAll("code > span")].map((piece) => piece.firstChild);
    await act(() => render(<LongText text={lines(640)} showsAll />, stage));
    const after = [...stage.querySelectorAll("code > span")].map((piece) => piece.firstChild);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[0]).toBe(before[0]);
  });
});
