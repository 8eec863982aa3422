/** The prompt's height: jsdom has no layout, so the test plays the browser that lays the field out after it was drawn. */

import { fireEvent } from "@testing-library/dom";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FakeModel, frame, show } from "./page";

const LINE = 19;
let width = 0;
let observers: (() => void)[] = [];

/** Lays the page out at a width, as a browser does before it tells the observers. */
async function layOut(to: number): Promise<void> {
  width = to;
  for (const observer of observers) observer();
  await frame();
}

beforeEach(() => {
  width = 0;
  observers = [];
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #changed: () => void;
      constructor(changed: () => void) {
        this.#changed = changed;
      }
      observe(): void {
        observers.push(this.#changed);
      }
      disconnect(): void {
        observers = observers.filter((observer) => observer !== this.#changed);
      }
    },
  );
  const field = HTMLTextAreaElement.prototype;
  const height = function (this: HTMLTextAreaElement): number {
    return width && 8 + LINE * Math.max(1, Math.ceil((this.value.length * 10) / width));
  };
  for (const name of ["offsetHeight", "clientHeight", "scrollHeight"] as const) {
    vi.spyOn(field, name, "get").mockImplementation(height);
  }
  vi.spyOn(field, "offsetWidth", "get").mockImplementation(() => width);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("a field that is drawn before it is laid out keeps the height of its row, and is measured when it appears", async () => {
  const { screen } = show(new FakeModel({}));
  const field = screen.getByRole("textbox");
  expect(field.style.height).toBe("auto");
  await layOut(300);
  expect(field.style.height).toBe(`${8 + LINE}px`);
});

it("a narrower field is measured again, a hidden one is not measured at all", async () => {
  const { screen } = show(new FakeModel({}));
  const field = screen.getByRole("textbox");
  await layOut(300);
  fireEvent.input(field, { target: { value: "x".repeat(30) } });
  await frame();
  expect(field.style.height).toBe(`${8 + LINE}px`);
  await layOut(100);
  expect(field.style.height).toBe(`${8 + 3 * LINE}px`);
  await layOut(0);
  expect(field.style.height).toBe("auto");
  await layOut(300);
  expect(field.style.height).toBe(`${8 + LINE}px`);
});

it("grows to six lines and scrolls from then on", async () => {
  const { screen } = show(new FakeModel({}));
  const field = screen.getByRole("textbox");
  await layOut(100);
  fireEvent.input(field, { target: { value: "x".repeat(200) } });
  await frame();
  expect([field.style.height, field.style.overflowY]).toEqual([`${8 + 6 * LINE}px`, "auto"]);
});
