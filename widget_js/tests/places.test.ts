import { afterEach, describe, expect, it, vi } from "vitest";
import { PLACES, takePlace } from "../src/places";

const returns: (() => void)[] = [];

function take(onTaken: () => void): () => void {
  const giveBack = takePlace(onTaken);
  returns.push(giveBack);
  return giveBack;
}

afterEach(() => {
  while (returns.length) returns.pop()!();
});

describe("places", () => {
  it("as many as there are are had at once, the next in line when one is given back", () => {
    const had: number[] = [];
    const backs = Array.from({ length: PLACES + 2 }, (_, n) => take(() => had.push(n)));
    expect(had).toEqual([0, 1]);
    backs[0]!();
    backs[0]!();
    expect(had).toEqual([0, 1, 2]);
  });

  it("who left the queue is not called any more", () => {
    const had: string[] = [];
    const backs = Array.from({ length: PLACES }, () => take(() => undefined));
    take(() => had.push("left"))();
    take(() => had.push("stayed"));
    backs[0]!();
    expect(had).toEqual(["stayed"]);
  });

  it("another copy of the module counts the same places", async () => {
    const had: string[] = [];
    for (let n = 0; n < PLACES; n++) take(() => undefined);
    vi.resetModules();
    const copy = await import("../src/places");
    expect(copy.takePlace).not.toBe(takePlace);
    returns.push(copy.takePlace(() => had.push("copy")));
    expect(had).toEqual([]);
    returns[0]!();
    expect(had).toEqual(["copy"]);
  });
});
